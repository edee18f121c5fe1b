// The layout does not shift while pages load, also on a slow network: cumulative layout shift (CLS) below 0.02.

import assert from 'node:assert/strict';
import test from 'node:test';

import {base, unlimited, withPage} from './browser.mjs';
import {own, pages} from './pages.mjs';
import {signUp, watchSome} from './people.mjs';
import {shift, slowly} from './shift.mjs';

// shiftingPages opens pages of a host one after the other, and returns those that shift.
async function shiftingPages(page, host, pages) {
	const shifting = [];
	for (const {path} of pages) {
		await page.goto(host + path);
		await unlimited(page);
		const {sum, moved} = await shift(page);
		if (sum >= 0.02) shifting.push(`${path} by ${sum.toFixed(3)}: ${moved.join(', ')}`);
	}
	return shifting;
}

for (const look of [{lang: 'ro', width: 390}, {lang: 'en', width: 1440}]) {
	test(`no page shifts on a slow network, ${look.width} wide`, () => slowly((host) => withPage({...look, hosts: [host]}, async (page) => {
		assert.deepEqual(await shiftingPages(page, host, pages), []);
	})));

	test(`no page of an account shifts, ${look.width} wide`, () => withPage({...look, expected: [401, 503]}, async (page) => {
		await signUp(page);
		assert.deepEqual(await shiftingPages(page, base, own.filter(({name}) => name === 'monitoring')), [], 'without a list');
		await watchSome(page);
		assert.deepEqual(await shiftingPages(page, base, own), []);
	}));
}
