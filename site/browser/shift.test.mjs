// The layout does not shift while pages load: cumulative layout shift (CLS) below 0.02.

import assert from 'node:assert/strict';
import test from 'node:test';

import {base, open, withPage} from './browser.mjs';
import {signUp} from './people.mjs';

const pages = ['/', '/companies?q=exemplu', '/companies/9900000010', '/companies/9900000134/status?date=2020-12-05', '/caen', '/caen/9621',
	'/places/54975', '/rates', '/rates/EUR', '/docs', '/docs/spreadsheets', '/docs/api', '/docs/api/get_company', '/status', '/widget', '/dashboard'];
const own = ['/dashboard', '/dashboard/lists', '/dashboard/monitoring', '/dashboard/keys', '/dashboard/plans', '/dashboard/account'];

// shift returns the layout shift of a page, with the elements that shifted.
async function shift(page) {
	await page.waitForLoadState('networkidle');
	return page.evaluate(() => new Promise((resolve) => {
		let sum = 0;
		const moved = [];
		new PerformanceObserver((list) => {
			for (const {value, hadRecentInput, sources} of list.getEntries()) {
				if (hadRecentInput) continue;
				sum += value;
				moved.push(...sources.map(({node, previousRect, currentRect}) => `${node?.nodeName} ${node?.id ?? ''} ${node?.className ?? ''}: ${previousRect.y} to ${currentRect.y}`));
			}
		}).observe({type: 'layout-shift', buffered: true});
		setTimeout(() => resolve({sum, moved}), 500);
	}));
}

// steady opens pages one after the other, and returns those that shift.
async function steady(page, paths) {
	const shifting = [];
	for (const path of paths) {
		await open(page, path);
		const {sum, moved} = await shift(page);
		if (sum >= 0.02) shifting.push(`${path} by ${sum.toFixed(3)}: ${moved.join(', ')}`);
	}
	return shifting;
}

for (const width of [390, 1440]) {
	test(`no page shifts, ${width} wide`, () => withPage({lang: 'ro', width}, async (page) => assert.deepEqual(await steady(page, pages), [])));

	test(`no page of an account shifts, ${width} wide`, () => withPage({lang: 'ro', width, expected: [401]}, async (page) => {
		await signUp(page);
		assert.deepEqual(await steady(page, ['/dashboard/monitoring']), [], 'without a list');
		await page.evaluate(async () => {
			const send = async (path, method, body) => (await fetch(path, {method, headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)})).json();
			const {id} = await send('/v1/watchlists', 'POST', {name: 'Furnizori'});
			await send(`/v1/watchlists/${id}/companies`, 'POST', {items: [{taxId: '9900000010'}, {taxId: '9900000029'}]});
		});
		assert.deepEqual(await steady(page, own), []);
	}));
}
