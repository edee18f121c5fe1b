// A browser for the walks: Debian's Chromium, driven by playwright-core. Every walk fails on a script error, a request
// to another host, a request that the policy blocks, or an unexpected status.

import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {after} from 'node:test';

const require = createRequire(join(process.env.RODATA_TOOLS, 'package.json'));
const {chromium} = require('playwright-core');
const axe = await readFile(require.resolve('axe-core/axe.min.js'), 'utf8');

export const base = process.env.RODATA_ADDRESS;

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
	'--disable-component-update', '--disable-sync'];
const browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: flags});
after(() => browser.close());

// withPage opens a page with the given settings, runs the walk, and fails on the faults that every walk checks for.
// expected lists the error statuses that the walk provokes; hosts lists the other hosts that it may contact. Waiting for
// the rate limit is not a fault.
export async function withPage({lang = 'en', width = 1280, dark = false, expected = [], hosts = [], script = true}, walk) {
	const context = await browser.newContext({
		locale: {en: 'en-GB', ro: 'ro-RO'}[lang], colorScheme: dark ? 'dark' : 'light',
		viewport: {width, height: 900}, javaScriptEnabled: script, permissions: ['clipboard-read', 'clipboard-write'],
	});
	const faults = [];
	try {
		const page = await context.newPage();
		page.setDefaultTimeout(20000);
		if (script) retryWhenLimited(page);
		page.on('pageerror', (error) => faults.push(`a mistake in a script: ${error.stack}`));
		page.on('console', (message) => {
			// Chromium also logs each error status; statuses are checked below.
			if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) faults.push(`on the console: ${message.text()}`);
		});
		page.on('request', (request) => {
			if (![base, ...hosts].some((host) => request.url().startsWith(`${host}/`)) && !request.url().startsWith('data:')) faults.push(`a request to ${request.url()}`);
		});
		page.on('response', (response) => {
			if (response.status() >= 400 && ![429, ...expected].includes(response.status())) faults.push(`${response.status()} from ${response.url()}`);
		});
		await walk(page, context);
	} finally {
		// Responses still pending are no longer needed.
		await Promise.all(context.pages().map((page) => page.unrouteAll({behavior: 'ignoreErrors'})));
		await context.close();
	}
	assert.deepEqual(faults, []);
}

// looksRight checks the accessibility of a page, and that it fits its width. look describes the state of the page.
export async function looksRight(page, look = '') {
	const found = await page.evaluate(async (source) => {
		// The driver evaluates it, so the page's Content-Security-Policy does not apply.
		if (!window.axe) (0, eval)(source);
		const {violations} = await window.axe.run(document, {rules: {'target-size': {enabled: true}}});
		// The widget's list is a popover outside the page's landmarks; it belongs to its input.
		return violations.filter(({id, nodes}) => id !== 'region' || !nodes.every(({html}) => html.includes('rodata-list'))).map(({id, nodes}) => `${id}: ${nodes.map(({html, any}) => `${html} ${any.map(({message}) => message).join(' ')}`).join(' | ')}`);
	}, axe);
	assert.deepEqual(found, [], look);
	assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `the page is wider than the window ${look}`);
}

// shot saves a screenshot in the folder named by RODATA_SHOTS.
export async function shot(page, name) {
	if (process.env.RODATA_SHOTS) await page.screenshot({path: join(process.env.RODATA_SHOTS, `${name}.png`), fullPage: true});
}

// shows waits until the page shows a text. The rate limit may delay it.
export const shows = (page, text) => page.getByText(text).first().waitFor();

// retryWhenLimited makes navigations of a page wait for the rate limit, which all walks share.
function retryWhenLimited(page) {
	const goto = page.goto.bind(page), waitForURL = page.waitForURL.bind(page);
	page.goto = async (...args) => {
		for (;;) {
			const response = await goto(...args).catch(unlessReplaced);
			if (response !== replaced && response?.status() !== 429) return response;
			await page.waitForTimeout(1100);
		}
	};
	page.waitForURL = async (...args) => {
		await waitForURL(...args);
		await unlimited(page);
	};
}

// open opens a page and waits for the rate limit, which also counts pages that the server renders.
export async function open(page, path) {
	await page.goto(base + path);
	await unlimited(page);
}

// unlimited reloads a page until it no longer shows the rate-limit error.
export async function unlimited(page) {
	const limited = () => page.evaluate(() => performance.getEntriesByType('navigation')[0].responseStatus === 429)
		.catch(() => false); // the page is being left
	while (await limited()) {
		await page.waitForTimeout(1100);
		await page.reload().catch(unlessReplaced);
	}
}

// unlessReplaced handles the failure of a navigation. It returns replaced if another navigation replaced it, as when the
// page of the rate limit reloads itself, and throws any other error.
const replaced = Symbol('replaced');
function unlessReplaced(error) {
	if (/net::ERR_ABORTED|interrupted by another navigation|Not attached to an active page/.test(error.message)) return replaced;
	throw error;
}

// answered fetches an intercepted request and waits for the rate limit: all walks share one address, and so one limit.
export async function answered(route, options) {
	for (;;) {
		const response = await route.fetch(options);
		if (response.status() !== 429) return response;
		const seconds = Number(response.headers()['retry-after'] ?? 1);
		await new Promise((resume) => setTimeout(resume, 1000 * seconds));
	}
}
