// The layout shift of pages, also on a slow network.

import {createServer} from 'node:http';

import {base} from './browser.mjs';

const visible = 12 << 10; // characters of a page; what follows is below the window

// shift returns the cumulative layout shift (CLS) of a page, except shifts after input, and the elements that moved.
export async function shift(page) {
	await page.waitForLoadState('networkidle');
	return page.evaluate(() => new Promise((resolve) => {
		let sum = 0;
		const moved = [];
		new PerformanceObserver((list) => {
			for (const {value, hadRecentInput, sources} of list.getEntries()) {
				if (hadRecentInput) continue;
				sum += value;
				moved.push(...sources.map(({node, previousRect: from, currentRect: to}) =>
					`${node?.nodeName} ${node?.id ?? ''} ${node?.className ?? node?.data}: ${from.x}, ${from.y} to ${to.x}, ${to.y}`));
			}
		}).observe({type: 'layout-shift', buffered: true});
		setTimeout(() => resolve({sum, moved}), 500);
	}));
}

// elements splits a page after each end tag.
export const elements = /[^]+?<\/\w+>|[^]+/g;

// slowly serves the site over a simulated slow network, and calls walk with its address. The part of a page that is in
// the window arrives in pieces, and the browser paints each.
export async function slowly(walk, pieces = /[^]{1,500}/g) {
	const server = createServer(async ({url, headers}, response) => {
		const got = await fetchAdmitted(base + url, {'Accept-Language': headers['accept-language'], Accept: headers.accept});
		const type = got.headers.get('Content-Type');
		response.writeHead(got.status, {'Content-Type': type});
		if (!type.startsWith('text/html')) return response.end(Buffer.from(await got.arrayBuffer()));
		const [head, body] = (await got.text()).split('<body>');
		response.write(`${head}<body>`);
		for (const piece of body.slice(0, visible).match(pieces)) {
			response.write(piece);
			await new Promise((resume) => setTimeout(resume, 20));
		}
		response.end(body.slice(visible));
	});
	await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
	try {
		await walk(`http://127.0.0.1:${server.address().port}`);
	} finally {
		server.close();
	}
}

// fetchAdmitted fetches an address, and repeats the request as long as the rate limit refuses it.
async function fetchAdmitted(address, headers) {
	for (;;) {
		const response = await fetch(address, {headers});
		if (response.status !== 429) return response;
		await new Promise((resume) => setTimeout(resume, 1000 * (response.headers.get('Retry-After') ?? 1)));
	}
}
