// The company page: additions by scripts, no layout shift, and printing on one page.

import assert from 'node:assert/strict';
import test from 'node:test';

import {base, looksRight, shot, shows, withPage} from './browser.mjs';
import {send, signUp} from './people.mjs';
import {elements, shift, slowly} from './shift.mjs';

const address = `${base}/companies/9900000134`;

for (const look of [{lang: 'en', width: 1440, dark: false}, {lang: 'ro', width: 390, dark: true}, {lang: 'ro', width: 320, dark: false}]) {
	test(`the layout does not shift while the page loads: ${look.lang}, ${look.width} wide`, () => withPage(look, async (page) => {
		await page.goto(address);
		await page.locator('.scripted').waitFor();
		assert.deepEqual(await shift(page), {sum: 0, moved: []});
		await looksRight(page);
		await shot(page, `company-${look.lang}-${look.width}`);
	}));

	test(`the layout does not shift on a slow network: ${look.lang}, ${look.width} wide`, () => slowly((host) => withPage({...look, hosts: [host]}, async (page) => {
		await page.goto(`${host}/companies/9900000134`);
		await page.locator('.scripted').waitFor();
		assert.deepEqual(await shift(page), {sum: 0, moved: []});
	}), elements));

	test(`the page is complete without scripts: ${look.lang}, ${look.width} wide`, () => withPage({...look, script: false}, async (page) => {
		await page.goto(address);
		for (const section of ['identity', 'taxes', 'place', 'sheets', 'proceedings', 'persons', 'onday', 'origins']) {
			await page.locator(`section[aria-labelledby=${section}]`).waitFor();
		}
		assert.equal(await page.locator('.sheets figure > svg:not(.peers)').count(), 4);
		assert.equal(await page.locator('.sheets .peers').count(), 4);
		await page.locator('a[href="/caen/6210"]').waitFor();
		assert.equal(await page.getByRole('button', {name: /^(Watch|Urmăriți)/}).count(), 0);
		assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is wider than the window');
	}));
}

// This company left out some years.
for (const look of [{lang: 'en', width: 1440, dark: true}, {lang: 'ro', width: 390, dark: false}]) {
	test(`a year without a statement is a gap: ${look.lang}, ${look.width} wide`, () => withPage(look, async (page) => {
		await page.goto(`${base}/companies/9900000843`);
		assert.equal(await page.locator('.sheets .gap').count(), 12);
		await page.getByRole('row', {name: {en: '2022 not in the published files', ro: '2022 nu este în fișierele publicate'}[look.lang]}).waitFor();
		assert.deepEqual(await shift(page), {sum: 0, moved: []});
		await looksRight(page);
		await shot(page, `gaps-${look.lang}-${look.width}`);
	}));
}

test('numbers can be copied', () => withPage({}, async (page) => {
	await page.goto(address);
	await page.getByRole('button', {name: 'Copy: CUI (tax id)'}).click();
	await page.locator('#told').getByText('Copied').waitFor();
	assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'RO9900000134');
}));

test('the page prints on one sheet, with its address and the times of the answers', () => withPage({lang: 'ro'}, async (page) => {
	await page.goto(address);
	const pdf = (await page.pdf({format: 'A4'})).toString('latin1');
	assert.equal(pdf.match(/\/Type\s*\/Page\b(?!s)/g).length, 1);
	await page.emulateMedia({media: 'print'});
	await page.getByText(`Tipărit de la ${address}.`).waitFor();
	await page.locator('.origins').getByText(/consultat la \d+ \p{L}+ \d{4}, \d\d:\d\d EES?T/u).waitFor();
	await shot(page, 'company-print');
}));

test('a company is watched from its page', () => withPage({expected: [401]}, async (page) => {
	await page.goto(address);
	await page.getByRole('button', {name: 'Watch for changes'}).click();
	await page.waitForURL(`${base}/dashboard/sign-in?return=%2Fcompanies%2F9900000134`);

	await signUp(page);
	await page.goto(address);
	await page.getByRole('button', {name: 'Watch for changes'}).click();
	await shows(page, 'Added to the watch-list “My companies”.');
	await looksRight(page);
	await page.getByRole('link', {name: 'Choose how you are told of changes'}).click();
	await page.getByRole('heading', {name: 'My companies'}).waitFor();
	await page.getByLabel('Digest by mail').waitFor();
	await page.goto(address);

	// An account of the sandbox has a paid plan: it may see persons.
	await page.getByRole('link', {name: 'Show the representatives'}).click();
	await shows(page, 'EXEMPLU ZOE');
}));
