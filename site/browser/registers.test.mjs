// The page with the tax authority's smaller registers and with proceedings.

import assert from 'node:assert/strict';
import test from 'node:test';

import {base, looksRight, withPage} from './browser.mjs';

for (const [lang, words] of [['en', {link: /^Farmers, non-profits/, farmer: 'registered', since: 'from 20 October 2018', insolvency: 'In insolvency proceedings'}],
	['ro', {link: /^Agricultori/, farmer: 'înscrisă', since: 'din 20 octombrie 2018', insolvency: 'În insolvență'}]]) {
	test(`registers and proceedings have a page that is opened on request (${lang})`, () => withPage({lang}, async (page) => {
		await page.goto(`${base}/companies/9900000118`);
		await page.getByRole('link', {name: words.link}).click();
		await page.waitForURL(`${base}/companies/9900000118/registers`);
		const card = page.locator('#registers');
		await card.getByText(words.farmer, {exact: true}).first().waitFor();
		await card.getByText(words.since).waitFor();
		await looksRight(page);

		await page.goto(`${base}/companies/9900000096/registers`);
		await card.getByText(words.insolvency).waitFor();
	}));
}
