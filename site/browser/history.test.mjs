// What a company was on a day, and what could be known of it: the invented company whose registration for VAT was
// cancelled weeks after the day from which that counts.

import assert from 'node:assert/strict';
import test from 'node:test';

import {answered, base, looksRight, shot, shows, withPage} from './browser.mjs';

const cui = '9900000134';
const looks = [
	{lang: 'en', width: 1440, dark: false}, {lang: 'en', width: 390, dark: true}, {lang: 'ro', width: 1440, dark: true},
	{lang: 'ro', width: 390, dark: false}, {lang: 'ro', width: 320, dark: false},
];
const words = {
	en: {
		changed: 'Changed afterwards: what the register says now of 5 December 2020 is not what could be known on 5 December 2020. ' +
			'Registered for VAT: yes then, no now. Fiscally inactive: no then, yes now.',
		columns: ['As known on 5 Dec 2020', 'What the register says now'], yes: 'yes', no: 'no', unknown: 'unknown',
		entered: 'Entered on 29 Dec 2020', excluded: 'Last period: from 1 Oct 2017 until 2 Dec 2020, that day excluded', history: 'History',
	},
	ro: {
		changed: 'Modificat ulterior: ce arată acum registrul pentru 5 decembrie 2020 diferă de ce se putea ști la 5 decembrie 2020. ' +
			'Plătitoare de TVA: atunci da, acum nu. Inactivă fiscal: atunci nu, acum da.',
		columns: ['Cum se știa la 5 dec. 2020', 'Ce arată registrul acum'], yes: 'da', no: 'nu', unknown: 'necunoscut',
		entered: 'Înscris la 29 dec. 2020', excluded: 'Ultima perioadă: din 1 oct. 2017 până la 2 dec. 2020, exclusiv', history: 'Istoric',
	},
};

// values are what the columns say of a status.
const values = (page, status) => page.locator(`[data-status=${status}] .badge`).allTextContents();

// counted counts the requests for what is under the company. One that came too soon is sent again.
function counted(page) {
	const asked = [];
	page.on('response', (response) => {
		const {pathname, search} = new URL(response.url());
		if (response.status() !== 429 && /\/(status|history)$/.test(pathname) && pathname.startsWith('/v1/companies/')) asked.push(pathname.split('/').pop() + search);
	});
	return asked;
}

for (const look of looks) {
	const how = `${look.lang}, ${look.width} wide, ${look.dark ? 'dark' : 'light'}`;
	test(`a registration that was cancelled afterwards: ${how}`, () => withPage(look, async (page) => {
		const say = words[look.lang];
		await page.goto(`${base}/?q=${cui}&date=2020-12-05&knownAt=2020-12-05`);
		const card = page.locator('#history');
		await card.locator('[data-changed]').waitFor();
		assert.equal(await card.locator('[data-changed]').textContent(), say.changed);
		assert.deepEqual((await card.getByRole('columnheader').allTextContents()).slice(1), say.columns);
		assert.deepEqual(await values(page, 'vatPayer'), [say.yes, say.no]);
		assert.deepEqual(await values(page, 'inactive'), [say.no, say.yes]);
		assert.equal(await card.locator('.badge.good').count(), 0);
		const now = card.locator('[data-status=vatPayer] td').nth(1);
		await now.getByText(say.entered).waitFor();
		await now.getByText(say.excluded).waitFor();
		assert.ok((await page.locator('#said').textContent()).includes(say.changed));
		await looksRight(page);
		await shot(page, `onday-${look.lang}-${look.width}`);

		await card.getByText(say.history, {exact: true}).click();
		await card.locator('[data-field=vatPayer]').first().waitFor();
		const periods = await card.locator('[data-field=vatPayer]').allTextContents();
		assert.ok(periods.some((text) => text.includes(say.entered)), periods.join('\n'));
		await looksRight(page);
		await shot(page, `onday-history-${look.lang}-${look.width}`);
	}));
}

test('nothing is asked before somebody asks, and the form works by keyboard', () => withPage({}, async (page) => {
	const asked = counted(page);
	await page.goto(`${base}/?q=${cui}`);
	const card = page.locator('#history');
	await card.getByRole('button', {name: 'Show', exact: true}).waitFor();
	await shows(page, /Balance sheets/);
	assert.deepEqual(asked, []);

	await card.getByLabel('On the day').focus();
	await page.keyboard.type('12122020'); // the browser's order of day and month is its own affair
	await page.keyboard.press('Enter');
	await card.getByRole('columnheader', {name: 'On 12 Dec 2020'}).waitFor();
	assert.deepEqual(asked, ['status?date=2020-12-12']);
	assert.deepEqual(await values(page, 'vatPayer'), ['no']);
	assert.equal(await card.locator('[data-changed]').count(), 0);
	assert.equal(page.url(), `${base}/?q=${cui}&date=2020-12-12`);
	assert.match(await page.getByRole('complementary').getByRole('tabpanel').textContent(), /\/status\?date=2020-12-12'/);

	await card.getByText('History', {exact: true}).focus();
	await page.keyboard.press('Enter');
	await card.locator('[data-field=vatPayer]').first().waitFor();
	assert.deepEqual(asked, ['status?date=2020-12-12', 'history']);
}));

test('a day that cannot be is refused beside its field, without a call', () => withPage({}, async (page) => {
	const asked = counted(page);
	await page.goto(`${base}/?q=${cui}&date=1990-01-01`);
	const field = page.locator('#history').getByLabel('On the day');
	await field.waitFor();
	assert.equal(await field.getAttribute('aria-invalid'), 'true');
	assert.deepEqual(asked, []);
	await looksRight(page);
}));

test('what is not known is not a no, and a register that cannot be asked is named', () => withPage({lang: 'ro', expected: [503]}, async (page) => {
	const unknown = {value: null, from: null, to: null, enteredOn: null, reason: null, basis: null};
	const statuses = {vatPayer: {...unknown, value: true, from: '2017-10-01', basis: 'observed'}, vatOnCollection: unknown, vatSplit: unknown, inactive: unknown, eInvoice: unknown};
	let fails = true;
	await page.route('**/v1/companies/*/status?*', (route) => fails ?
		route.fulfill({status: 503, contentType: 'application/problem+json', json: {type: '/problems/unavailable', title: 'Unavailable', detail: 'the tax authority'}}) :
		route.fulfill({json: {taxId: +cui, name: 'EXEMPLU', date: '2020-12-05', knownAt: '2020-12-01', ...statuses, now: null, changedRetroactively: null, sources: []}}));
	await page.goto(`${base}/?q=${cui}&date=2020-12-05&knownAt=2020-12-01`);
	const card = page.locator('#history');
	await card.getByRole('alert').getByText('Indisponibil momentan').waitFor();
	fails = false;
	await card.getByRole('button', {name: 'Încearcă din nou'}).click();
	await shows(page, 'ANAF nu a putut fi interogat, deci nu se știe ce arată registrul acum.');
	await shows(page, '1 decembrie 2020 este înainte de 5 decembrie 2020');
	assert.deepEqual(await values(page, 'inactive'), ['necunoscut']);
	await shows(page, 'Nu înseamnă niciodată „nu”.');
	await looksRight(page);
}));

test('older facts come with the next page', () => withPage({}, async (page) => {
	await page.route('**/v1/companies/*/history*', async (route) => {
		const url = new URL(route.request().url());
		url.searchParams.set('limit', '2');
		await route.fulfill({response: await answered(route, {url: url.href})});
	});
	await page.goto(`${base}/?q=${cui}`);
	const card = page.locator('#history');
	await card.getByText('History', {exact: true}).click();
	await card.getByRole('button', {name: 'Show older'}).click();
	await card.locator('.results > li').nth(3).waitFor();
	assert.equal(await page.evaluate(() => document.activeElement.matches('#history .results > li:nth-child(3)')), true);
}));

test('a receipt can be had as a page to print', () => withPage({}, async (page) => {
	await page.route('**/v1/companies/*/status?*', async (route) => {
		const response = await answered(route), status = await response.json();
		await route.fulfill({response, json: {...status, receipt: 'rcp_abcdefghijklmnopqrstuvwxyz'}});
	});
	await page.route('**/v1/receipts/*', (route) => {
		assert.equal(route.request().headers().accept, 'application/pdf');
		return route.fulfill({contentType: 'application/pdf', body: '%PDF-1.7'});
	});
	await page.goto(`${base}/?q=${cui}&date=2020-12-05`);
	const download = page.waitForEvent('download');
	await page.getByRole('button', {name: 'Receipt as PDF'}).click();
	assert.equal((await download).suggestedFilename(), 'rcp_abcdefghijklmnopqrstuvwxyz.pdf');
}));
