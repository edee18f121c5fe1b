// The search box, its answers, and its error cases.

import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import test from 'node:test';

import {base, looksRight, open, shot, shows, unlimited, withPage} from './browser.mjs';

// find types a text into the box and submits it.
async function find(page, text) {
	await page.getByRole('combobox').fill(text);
	await page.getByRole('button', {name: /^(Search|Căutați)$/}).click();
}

test('a name is suggested, chosen by keyboard, and answered', () => withPage({}, async (page) => {
	await page.goto(base);
	await page.getByRole('combobox').pressSequentially('exemplu trans', {delay: 30});
	await page.getByRole('option').first().waitFor();
	await looksRight(page);
	await page.keyboard.press('ArrowDown');
	assert.equal(await page.getByRole('option').first().getAttribute('aria-selected'), 'true');
	await page.keyboard.press('Enter');
	await page.waitForURL(`${base}/companies/9900000010`);
	await page.getByRole('heading', {name: 'EXEMPLU TRANSILVAN S.R.L.'}).waitFor();
	await shows(page, 'Registered for VAT since 4 April 2012');
	await shows(page, /ANAF \(tax authority\) · asked/);
	await page.goBack();
	assert.equal(await page.getByRole('combobox').inputValue(), '');
}));

test('Escape closes the list and keeps the text', () => withPage({}, async (page) => {
	await page.goto(base);
	await page.getByRole('combobox').pressSequentially('exemplu trans', {delay: 30});
	await page.getByRole('option').first().waitFor();
	await page.keyboard.press('Escape');
	assert.equal(await page.getByRole('option').count(), 0);
	assert.equal(await page.getByRole('combobox').inputValue(), 'exemplu trans');
}));

test('a mistyped CUI leads to the right digit, and an unknown address to a search', () => withPage({lang: 'ro', expected: [400, 404]}, async (page) => {
	await open(page, '/companies/9900000011');
	await shows(page, 'Un CUI care începe cu 990000001 se termină cu 0.');
	assert.equal(await page.getByRole('searchbox').inputValue(), '9900000011');
	await looksRight(page);
	await shot(page, 'mistyped');
	await page.getByRole('searchbox').fill('9900000010');
	await page.keyboard.press('Enter');
	await page.waitForURL(`${base}/companies/9900000010`);
	await open(page, '/nowhere');
	await page.getByRole('searchbox').waitFor();
	await looksRight(page);
}));

test('a CUI leads to the page of the company, however it is written', () => withPage({}, async (page) => {
	for (const text of ['RO 9900000010', 'cui 9900000010', '9900 000 010']) {
		await page.goto(base);
		await find(page, text);
		await page.waitForURL(`${base}/companies/9900000010`);
	}
	await page.goto(`${base}/companies/RO%209900000010`);
	await page.waitForURL(`${base}/companies/9900000010`);
}));

test('the request beside the answer can be copied, and works', () => withPage({}, async (page) => {
	await page.goto(`${base}/?q=250+EUR+USD+2026-06-10`);
	await shows(page, '250 EUR = 288.9635 USD');
	const side = page.getByRole('complementary');
	await side.getByRole('button', {name: 'Copy'}).click();
	await side.getByRole('button', {name: 'Copied'}).waitFor();
	const command = await page.evaluate(() => navigator.clipboard.readText());
	assert.equal(command, `curl '${base}/v1/fx-rates/convert?amount=250&from=EUR&to=USD&date=2026-06-10'`);
	await side.getByRole('tab', {name: 'curl'}).press('ArrowLeft');
	assert.match(await side.getByRole('tabpanel').textContent(), /"name":"convert_currency"/);
}));

test('a dropped CAEN code leads to its successor', () => withPage({lang: 'ro'}, async (page) => {
	await page.goto(base);
	await find(page, '6201');
	await page.waitForURL(`${base}/caen/6201`);
	await unlimited(page);
	await page.getByRole('heading', {name: 'CAEN 6201: nu mai este în vigoare'}).waitFor();
	await page.getByRole('link', {name: /^6210/}).click();
	await page.waitForURL(`${base}/caen/6210`);
	await unlimited(page);
	await page.getByRole('heading', {name: /^6210/}).waitFor();
	await page.waitForURL(`${base}/caen/6210`);
}));

test('words find companies, activities and places', () => withPage({}, async (page) => {
	await page.goto(base);
	await find(page, 'cluj napoca');
	await shows(page, 'SIRUTA 54975');
	await page.waitForURL(`${base}/companies?q=cluj+napoca`);
	await page.goto(base);
	await find(page, 'zzzz qqqq');
	await shows(page, 'No results for “zzzz qqqq”');
}));

test('search results can be exported', () => withPage({lang: 'ro'}, async (page) => {
	await open(page, '/companies?q=exemplu');
	const exported = async (format) => {
		for (;;) {
			const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', {name: `Exportați ${format}`}).click()]);
			if (!await file.failure()) return {name: file.suggestedFilename(), content: await readFile(await file.path())};
			await page.waitForTimeout(1100); // the rate limit: the browser cancels a download that is answered 429
		}
	};
	const csv = await exported('CSV');
	assert.equal(csv.name, 'companies.csv');
	assert.match(csv.content.toString(), /^\uFEFFtaxId;name;.*\r\n/);
	assert.match(csv.content.toString(), /\r\n9900000010;EXEMPLU TRANSILVAN SRL;/);
	assert.equal((await exported('XLSX')).content.subarray(0, 2).toString(), 'PK');
}));

test('a company without a number says so, comes last and links nowhere', () => withPage({lang: 'ro'}, async (page) => {
	await open(page, `/companies?q=${encodeURIComponent('exemplu cu număr')}`);
	const last = page.locator('.rows').getByRole('listitem').last();
	await last.getByText('fără CUI în registrul comerțului').waitFor();
	assert.equal(await last.getByRole('link').count(), 0);
}));

test('a failing registry leads to an error page', () => withPage({expected: [502], lang: 'ro'}, async (page) => {
	const response = await page.goto(`${base}/companies/9900009010`);
	assert.equal(response.status(), 502);
	await page.getByRole('heading', {level: 1}).waitFor();
	await looksRight(page);
	await shot(page, 'registry-down');
}));

test('offline, the query is kept and answered once the network is back', () => withPage({}, async (page, context) => {
	await page.goto(base);
	await shows(page, 'Exchange rates of the central bank');
	await context.setOffline(true);
	await shows(page, 'You are offline.');
	await find(page, 'CAEN 6210');
	assert.equal(await page.getByRole('combobox').inputValue(), 'CAEN 6210');
	await find(page, '250 EUR USD');
	await shows(page, 'The service could not be reached.');
	assert.equal(await page.getByRole('combobox').inputValue(), '250 EUR USD');
	await context.setOffline(false);
	await page.getByText('You are offline.').waitFor({state: 'hidden'}); // or the call fails once more
	await page.getByRole('button', {name: 'Try again'}).click();
	await shows(page, /^250 EUR = /);
}));

test('typed markup is shown as text', () => withPage({}, async (page) => {
	const markup = '<img src=x onerror=document.title=1>';
	await open(page, `/companies?${new URLSearchParams({q: markup})}`);
	await shows(page, 'No results for');
	assert.equal(await page.locator('main img').count(), 0);
	assert.equal(await page.title(), `Companies: “${markup}” · rodata`);
}));

// Queries that have a page open that page.
const pages = {
	en: [
		['RO 9900000010', '/companies/9900000010', /^EXEMPLU TRANSILVAN/],
		['J12/101/2012', '/companies?q=J12%2F101%2F2012', '1 company'],
		['curs euro 10/06/2026', '/rates/EUR?date=2026-06-10', 'EUR / RON'],
		['exchange rates', '/rates', 'Exchange rates of the central bank'],
		['caen code for software', '/caen?q=software', /results$/],
		['siruta 54975', '/places/54975', 'Cluj-Napoca'],
	],
	ro: [
		['curs valutar 10.06.2026', '/rates?date=2026-06-10', 'Cursul BNR'],
		['cod CAEN 62.10', '/caen/6210', /^6210 Activități de realizare a softului/],
		['62', '/caen/62', /^62 /],
	],
};
for (const [lang, asked] of Object.entries(pages)) {
	test(`queries that have a page open that page: ${lang}`, () => withPage({lang}, async (page) => {
		for (const [text, path, heading] of asked) {
			await open(page, '/');
			await find(page, text);
			await page.waitForURL(base + path);
			await unlimited(page);
			await page.getByRole('heading', {name: heading}).first().waitFor();
		}
	}));
}

// Each other kind of question ends in a card, with the call behind it and a link to that call's reference.
const questions = {
	en: [
		['100 eur in usd', 'Conversion', 'convert_currency'],
		['bank holidays in 2026', 'Public holidays in 2026', 'get_holidays'],
		['VAT DE811569869', 'DE811569869', 'check_vat_number'],
	],
	ro: [
		['lei', 'Conversie', 'convert_currency'],
		['cât fac 100 de euro în lei?', 'Conversie', 'convert_currency'],
		['sărbători legale', /^Sărbători legale în \d{4}$/, 'get_holidays'],
	],
};
for (const [lang, asked] of Object.entries(questions)) {
	test(`questions in words are answered: ${lang}`, () => withPage({lang}, async (page) => {
		await page.goto(base);
		for (const [text, heading, operation] of asked) {
			await find(page, text);
			await page.getByRole('region', {name: /^(Answer|Răspuns)$/}).getByRole('heading', {name: heading}).first().waitFor();
			await page.getByRole('complementary').locator(`a[href="/docs/api/${operation}"]`).waitFor();
		}
		await looksRight(page);
	}));
}

test('the law of the holidays is cited in the language of the page', () => withPage({lang: 'ro'}, async (page) => {
	await page.goto(`${base}/?q=s%C4%83rb%C4%83tori+2010`);
	await shows(page, 'Codul muncii (Legea 53/2003), art. 134 alin. (1).'); // its number before 2011
	await page.getByRole('link', {name: '2011'}).click();
	await shows(page, 'Codul muncii (Legea 53/2003), art. 139 alin. (1).');
}));

test('a VAT number that cannot exist is explained, and not called invalid', () => withPage({expected: [400], lang: 'ro'}, async (page) => {
	await page.goto(base);
	for (const [number, sentence] of [['DE81156986', 'Codurile de TVA din acest stat au alt format.'], ['DE811569860', 'cifra de control nu corespunde'], ['GB123456789', 'acestea se verifică la HMRC']]) {
		await find(page, number);
		await page.locator('#answer').getByRole('heading', {name: number}).waitFor();
		await shows(page, sentence);
		assert.equal(await page.locator('.badge.bad').count(), 0);
	}
	await looksRight(page);
}));
