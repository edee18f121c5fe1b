// The search box, the answers, and what happens when there is none.

import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import test from 'node:test';

import {base, looksRight, shot, shows, withPage} from './browser.mjs';

// find types into the box and sends it.
async function find(page, text) {
	await page.getByRole('combobox').fill(text);
	await page.getByRole('button', {name: /^(Search|Caută)$/}).click();
}

test('a name is suggested, chosen by keyboard, and answered', () => withPage({}, async (page) => {
	await page.goto(base);
	await page.getByRole('combobox').pressSequentially('exemplu trans', {delay: 30});
	await page.getByRole('option').first().waitFor();
	await looksRight(page);
	await page.keyboard.press('ArrowDown');
	assert.equal(await page.getByRole('option').first().getAttribute('aria-selected'), 'true');
	await page.keyboard.press('Enter');
	await page.getByRole('heading', {name: 'EXEMPLU TRANSILVAN S.R.L.'}).waitFor();
	assert.equal(page.url(), `${base}/?q=9900000010`);
	await shows(page, 'Registered for VAT since 4 Apr 2012');
	await shows(page, 'ANAF (tax authority)');
	await page.goBack();
	assert.equal(await page.getByRole('combobox').inputValue(), '');
}));

test('the request beside the answer can be copied, and does what was asked', () => withPage({}, async (page) => {
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

test('a dropped CAEN code leads to its successor', () => withPage({expected: [404], lang: 'ro'}, async (page) => {
	await page.goto(base);
	await find(page, '6201');
	await shows(page, 'Acest cod nu mai este în vigoare');
	await page.getByRole('link', {name: /^6210/}).click();
	await shows(page, 'CAEN Rev.3');
	await page.getByRole('heading', {name: /^6210/}).waitFor();
}));

test('words find companies, activities and places', () => withPage({}, async (page) => {
	await page.goto(base);
	await find(page, 'cluj napoca');
	await shows(page, 'SIRUTA 54975');
	await find(page, 'zzzz qqqq');
	await shows(page, 'No results for “zzzz qqqq”');
}));

test('what is found can be exported, and a refusal is explained', () => withPage({lang: 'ro', expected: [403]}, async (page) => {
	await page.goto(`${base}/?q=exemplu`);
	const exported = async (format) => {
		const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', {name: `Exportă ${format}`}).click()]);
		return {name: file.suggestedFilename(), content: await readFile(await file.path())};
	};
	const csv = await exported('CSV');
	assert.equal(csv.name, 'firme.csv');
	assert.match(csv.content.toString(), /^\uFEFFtaxId;name;.*\r\n/);
	assert.match(csv.content.toString(), /\r\n9900000010;EXEMPLU TRANSILVAN SRL;/);
	assert.equal((await exported('XLSX')).content.subarray(0, 2).toString(), 'PK');
	await looksRight(page);
	await shot(page, 'export');
	await page.route('**/v1/companies?*format=csv*', (route) => route.fulfill({status: 403, contentType: 'application/problem+json', json: {status: 403, detail: 'the plan does not include it'}}));
	await page.getByRole('button', {name: 'Exportă CSV'}).click();
	await page.getByRole('alert').getByText('the plan does not include it').waitFor();
}));

test('a company without a number says so, comes last and links nowhere', () => withPage({lang: 'ro'}, async (page) => {
	await page.goto(`${base}/?q=${encodeURIComponent('exemplu cu număr')}`);
	const last = page.locator('.results').first().getByRole('listitem').last();
	await last.getByText('fără CUI în registrul comerțului').waitFor();
	assert.equal(await last.getByRole('link').count(), 0);
}));

test('a registry that fails is named, and can be asked again', () => withPage({expected: [502], lang: 'ro'}, async (page) => {
	await page.goto(`${base}/?q=9900009010`);
	await shows(page, 'Registrul răspunde cu o eroare');
	await looksRight(page);
	await page.getByRole('button', {name: 'Încearcă din nou'}).click();
	await shows(page, 'Registrul răspunde cu o eroare');
	await shot(page, 'registry-down');
}));

test('offline, the question stays and is answered when the network is back', () => withPage({}, async (page, context) => {
	await page.goto(base);
	await shows(page, 'Exchange rates of the central bank');
	await context.setOffline(true);
	await shows(page, 'You are offline.');
	await find(page, 'CAEN 6210');
	await shows(page, 'The service could not be reached.');
	assert.equal(await page.getByRole('combobox').inputValue(), 'CAEN 6210');
	await context.setOffline(false);
	await page.getByText('You are offline.').waitFor({state: 'hidden'}); // or the call fails once more
	await page.getByRole('button', {name: 'Try again'}).click();
	await page.getByRole('heading', {name: /^6210/}).waitFor();
}));

test('what is typed is text, whatever it looks like', () => withPage({expected: [400]}, async (page) => {
	const markup = '<img src=x onerror=document.title=1>';
	await page.goto(`${base}/?${new URLSearchParams({q: markup})}`);
	await shows(page, /No results for|The request is not valid/);
	assert.equal(await page.locator('main img').count(), 0);
	assert.equal(await page.title(), `${markup} · rodata`);
}));

// Each kind of question ends in a card, with the call behind it and a link to that call's reference.
const questions = {
	en: [
		['RO 9900000010', 'EXEMPLU TRANSILVAN S.R.L.', 'get_company'],
		['J12/101/2012', 'Companies', 'search_companies'],
		['curs euro 10/06/2026', 'EUR, official rate', 'get_fx_rates'],
		['exchange rates', 'Exchange rates of the central bank', 'get_fx_rates'],
		['100 eur in usd', 'Conversion', 'convert_currency'],
		['bank holidays in 2026', 'Public holidays in 2026', 'get_holidays'],
		['VAT DE811569869', 'DE811569869', 'check_vat_number'],
		['caen code for software', 'Activities (CAEN Rev.3)', 'search_caen_codes'],
		['siruta 54975', 'Places', 'search_cities'],
	],
	ro: [
		['lei', 'Conversie', 'convert_currency'],
		['cât fac 100 de euro în lei?', 'Conversie', 'convert_currency'],
		['curs valutar ieri', 'Cursul BNR', 'get_fx_rates'],
		['cod CAEN 62.10', '6210', 'get_caen_code'],
		['sărbători legale', /^Sărbători legale în \d{4}$/, 'get_holidays'],
	],
};
for (const [lang, asked] of Object.entries(questions)) {
	test(`questions in words are answered: ${lang}`, () => withPage({lang}, async (page) => {
		await page.goto(base);
		for (const [text, heading, operation] of asked) {
			await find(page, text);
			await page.getByRole('region', {name: /^(Answer|Răspuns)$/}).getByRole('heading', {name: heading}).first().waitFor();
			await page.getByRole('complementary').locator(`a[href="/docs/api#${operation}"]`).waitFor();
		}
		await looksRight(page);
	}));
}

test('a VAT number that cannot exist is explained, and not called invalid', () => withPage({expected: [400], lang: 'ro'}, async (page) => {
	await page.goto(base);
	for (const [number, sentence] of [['DE81156986', 'Codurile de TVA din acest stat au altă formă.'], ['DE811569860', 'cifra de control nu corespunde'], ['GB123456789', 'acestea se verifică la HMRC']]) {
		await find(page, number);
		await page.getByRole('heading', {name: number}).waitFor();
		await shows(page, sentence);
		assert.equal(await page.locator('.badge.bad').count(), 0);
	}
	await looksRight(page);
}));
