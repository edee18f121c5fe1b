// The card with the tax authority's smaller registers and with proceedings.

import assert from 'node:assert/strict';
import test from 'node:test';

import {base, looksRight, withPage} from './browser.mjs';

for (const [lang, words] of [['en', {heading: /^Farmers, non-profits/, farmer: 'registered · from 20 October 2018', insolvency: 'in insolvency proceedings'}],
	['ro', {heading: /^Agricultori/, farmer: 'înregistrat · din 20 octombrie 2018', insolvency: 'în insolvență'}]]) {
	test(`registers and proceedings are asked for when their card is opened (${lang})`, () => withPage({lang}, async (page) => {
		const asked = [];
		page.on('request', (request) => { if (request.url().includes('include=registers')) asked.push(request.url()); });
		await page.goto(`${base}/?q=9900000118`);
		const card = page.locator('#registers');
		await card.waitFor();
		assert.equal(asked.length, 0);
		await card.getByText(words.heading).click();
		await card.getByText(words.farmer).waitFor();
		await looksRight(page);
		const times = asked.length; // more than once after a 429
		await card.getByText(words.heading).click();
		await card.getByText(words.heading).click();
		assert.equal(asked.length, times);

		await page.goto(`${base}/?q=9900000096`);
		await card.getByText(words.heading).click();
		await card.getByText(words.insolvency).waitFor();
	}));
}
