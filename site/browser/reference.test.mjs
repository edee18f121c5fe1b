// The reference and the search of the documentation.

import assert from 'node:assert/strict';
import test from 'node:test';

import {base, looksRight, shot, shows, withPage} from './browser.mjs';

test('every sample contains the typed key, and the chosen language is remembered', () => withPage({}, async (page) => {
	await page.goto(`${base}/docs/api/get_company`);
	assert.ok(!(await page.locator('[data-in=sh] pre').innerText()).includes('Authorization'), 'the sample runs without a key');
	await page.getByLabel('Your API key').fill('rodata_live_typed');
	await page.locator('[data-in=sh]').getByText("-H 'Authorization: Bearer rodata_live_typed'").waitFor();
	await page.locator('label[for=in-python]').click();
	await page.locator('[data-in=python]').getByText('"Bearer rodata_live_typed"').waitFor();
	await page.locator('[data-in=python]').getByRole('button', {name: 'Copy'}).click();
	assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^import json\n[^]*rodata_live_typed[^]*json\.load\(response\)\)$/);

	await page.goto(`${base}/docs/api/create_webhook`);
	await page.locator('[data-in=python]').getByText('"Bearer rodata_live_typed"').waitFor();
	await page.getByLabel('Your API key').fill("'; rm");
	await page.locator('[data-in=python]').getByText('"Bearer rodata_live_..."').waitFor();
}));

test('samples change their language without scripts', () => withPage({script: false}, async (page) => {
	await page.goto(`${base}/docs/api/convert_currency`);
	await page.locator('label[for=in-go]').click();
	await page.locator('[data-in=go]').getByText('package main').waitFor();
	assert.ok(!await page.locator('[data-in=sh]').isVisible());
	await page.getByLabel('Send a key').check();
	await page.locator('[data-in=go]').getByText('request.Header.Set("Authorization"').waitFor();
}));

for (const {lang, width, dark, query, want} of [
	{lang: 'en', width: 1440, dark: false, query: 'rate limits', want: '/docs/errors#rate-limits'},
	{lang: 'ro', width: 320, dark: true, query: 'sarbatori legale', want: '/docs/api/get_holidays'},
]) {
	test(`a slash leads to the search: ${lang}, ${width} wide`, () => withPage({lang, width, dark}, async (page) => {
		await page.goto(`${base}/docs`);
		await page.keyboard.press('/');
		await page.keyboard.type(query);
		await page.keyboard.press('Enter');
		await page.waitForURL(/\/docs\/search\?q=/);
		assert.equal(await page.locator('.results-list a').first().getAttribute('href'), want);
		await looksRight(page);
		await shot(page, `find-${lang}-${width}`);
		await page.locator('.results-list a').first().click();
		await page.waitForURL(base + want);
	}));
}

test('the search works without scripts', () => withPage({script: false, lang: 'ro'}, async (page) => {
	await page.goto(`${base}/docs/api`);
	await page.getByLabel('Căutați în documentație').fill('webhook');
	await page.keyboard.press('Enter');
	await shows(page, 'Crearea unui webhook');
}));
