// The status of a company on a day, and what was known on that day. The VAT registration of the invented company was
// cancelled with retroactive effect, weeks after the effective date. The pages need no scripts.

import assert from 'node:assert/strict';
import test from 'node:test';

import {base, looksRight, open, shot, shows, withPage} from './browser.mjs';

const cui = '9900000134', page0 = `${base}/companies/${cui}`;
const looks = [
	{lang: 'en', width: 1440, dark: false}, {lang: 'en', width: 390, dark: true}, {lang: 'ro', width: 1440, dark: true},
	{lang: 'ro', width: 390, dark: false}, {lang: 'ro', width: 320, dark: false},
];
const words = {
	en: {
		changed: 'Changed afterwards: for 5 December 2020, the register now says something different from what could be known on 5 December 2020. ' +
			'Registered for VAT: yes then, no now. Entered by ANAF on 29 December 2020. Fiscally inactive: no then, inactive now.',
		columns: ['As known on 5 December 2020', 'What the register says now'], yes: 'yes', no: 'no', inactive: 'inactive',
		entered: 'Entered by ANAF on 29 December 2020', period: 'Last period: from 1 October 2017 to 1 December 2020, inclusive',
		day: 'Day of the invoice', cash: 'Paid in cash', perhaps: 'Perhaps 9900000134?', paid: 'paid in cash: 6,000.50 RON', asked: 'asked on ',
		conclusion: 'as could be known then: it was not declared inactive; it was registered for VAT; it did not apply VAT on collection; the amount exceeds the ceiling',
	},
	ro: {
		changed: 'Modificat ulterior: ce arată acum registrul pentru 5 decembrie 2020 diferă de ceea ce se putea ști la 5 decembrie 2020. ' +
			'Plătitoare de TVA: atunci da, acum nu. Operat de ANAF la 29 decembrie 2020. Inactivă fiscal: atunci nu, acum inactivă.',
		columns: ['Ce se știa la 5 decembrie 2020', 'Ce arată registrul acum'], yes: 'da', no: 'nu', inactive: 'inactivă',
		entered: 'Operat de ANAF la 29 decembrie 2020', period: 'Ultima perioadă: din 1 octombrie 2017 până la 1 decembrie 2020 inclusiv',
		day: 'Ziua facturii', cash: 'Plătit în numerar', perhaps: 'Poate 9900000134?', paid: 'plătit în numerar: 6.000,50 lei', asked: 'consultat la ',
		conclusion: 'potrivit informațiilor disponibile atunci: era activă fiscal; era înregistrată în scopuri de TVA; aplica sistemul normal de TVA; suma depășește plafonul',
	},
};

// values returns the columns of a status.
const values = (page, status) => page.locator(`[data-status=${status}] .badge`).allTextContents();

for (const look of looks) {
	const how = `${look.lang}, ${look.width} wide, ${look.dark ? 'dark' : 'light'}`;
	test(`a registration cancelled retroactively: ${how}`, () => withPage(look, async (page) => {
		const say = words[look.lang];
		await page.goto(`${page0}/status?date=2020-12-05&knownAt=2020-12-05`);
		assert.equal(await page.locator('[data-notice=bad]').textContent(), say.changed);
		assert.deepEqual((await page.getByRole('columnheader').allTextContents()).slice(1), say.columns);
		assert.deepEqual(await values(page, 'vatPayer'), [say.yes, say.no]);
		assert.deepEqual(await values(page, 'inactive'), [say.no, say.inactive]);
		assert.equal(await page.locator('main .badge.good').count(), 0);
		const now = page.locator('[data-status=vatPayer] td').nth(1);
		await now.getByText(say.entered).waitFor();
		await now.getByText(say.period).waitFor();
		await looksRight(page);
		await shot(page, `onday-${look.lang}-${look.width}`);

		await page.goto(`${page0}/history`);
		const periods = await page.locator('[data-field=vatPayer]').allTextContents();
		assert.ok(periods.some((text) => text.includes(say.entered)), periods.join('\n'));
		await looksRight(page);
		await shot(page, `onday-history-${look.lang}-${look.width}`);
	}));
}

test('a company has no statuses before its registration', () => withPage({lang: 'ro'}, async (page) => {
	await open(page, '/companies/9900000010/status?date=1999-01-04');
	await shows(page, 'Firma a fost înregistrată la 5 martie 2012. La 4 ianuarie 1999 nu exista');
	assert.deepEqual(new Set(await page.locator('[data-status] .badge').allTextContents()), new Set(['nu se aplică']));
	await looksRight(page);
	await shot(page, 'onday-before');
}));

test('the form works by keyboard', () => withPage({}, async (page) => {
	await page.goto(page0);
	await page.getByLabel('Day of the invoice').focus();
	await page.keyboard.type('12122020'); // the browser's order of day and month is its own affair
	await page.keyboard.press('Enter');
	await page.waitForURL(`${page0}/status?date=2020-12-12&knownAt=&amount=`);
	await page.getByRole('columnheader', {name: 'As known on 12 December 2020'}).waitFor();
	assert.deepEqual(await values(page, 'vatPayer'), ['yes', 'no']);
	await shows(page, 'on 12 December 2020, as could be known then: ');
}));

test('the form and the history work without scripts', () => withPage({script: false, lang: 'ro'}, async (page) => {
	await page.goto(page0);
	await page.getByLabel('Ziua facturii').fill('2020-12-05');
	await page.getByLabel('Ce se putea ști la data de (opțional)').fill('2020-12-01');
	await page.getByRole('button', {name: 'Afișați'}).click();
	await shows(page, '1 decembrie 2020 este înainte de 5 decembrie 2020');
	await shows(page, 'Nu înseamnă niciodată „nu”.'); // nothing says what e-Factura was then
	await page.locator('.back a').click();
	await page.getByRole('link', {name: 'Istoric'}).click();
	await page.locator('[data-field=vatPayer]').first().waitFor();
}));

test('the form rejects an impossible day, and its address explains why', () => withPage({expected: [400]}, async (page) => {
	await page.goto(page0);
	const field = page.getByLabel('Day of the invoice');
	await field.fill('1990-01-01');
	await page.getByRole('button', {name: 'Show', exact: true}).click();
	assert.equal(await field.evaluate((input) => input.validity.rangeUnderflow), true);
	assert.equal(page.url(), page0);
	await page.goto(`${page0}/status?date=1990-01-01`);
	await shows(page, /1 July 1993/);
	await looksRight(page);
}));

test('an old link with a day redirects to the page of that day', () => withPage({}, async (page) => {
	await page.goto(`${base}/?q=${cui}&date=2020-12-05&knownAt=2020-12-05`);
	await page.waitForURL(`${page0}/status?date=2020-12-05&knownAt=2020-12-05`);
}));

// The form on the front page leads to the conclusion and the facts, and both are printed.
for (const {lang, width, script} of [{lang: 'ro', width: 1440}, {lang: 'en', width: 390}, {lang: 'ro', width: 390, script: false}]) {
	test(`the day of an invoice, from the front page: ${lang}, ${width} wide${script === false ? ', without scripts' : ''}`, () => withPage({lang, width, script}, async (page) => {
		const say = words[lang];
		await open(page, '/');
		const form = page.locator('form[action="/companies/status"]');
		await form.getByLabel('CUI').fill('RO 9900000135');
		await form.getByLabel(say.day).fill('2020-12-05');
		await form.getByLabel(say.cash).fill('6000,50');
		await form.getByRole('button').click();
		await page.getByRole('link', {name: say.perhaps}).click();
		await page.waitForURL(`${page0}/status?amount=6000.50&date=2020-12-05`);
		await shows(page, say.conclusion);
		if (script !== false) await looksRight(page);
		await page.emulateMedia({media: 'print'});
		for (const text of [`CUI ${cui}`, say.conclusion, say.entered, say.period, say.paid, 'Anulare din oficiu', 'Legea 227/2015 art. 11 (8)'.replace('Legea', lang === 'ro' ? 'Legea' : 'Law'),
			`${page0}/status?amount=6000.50&date=2020-12-05`, say.asked]) assert.ok((await page.locator('main').innerText()).includes(text), `the print lacks ${text}`);
	}));
}

test('older facts are on the next page', () => withPage({}, async (page) => {
	await page.goto(`${page0}/history?limit=2`);
	assert.equal(await page.locator('#past > li').count(), 2);
	const newest = await page.locator('#past > li').first().textContent();
	await page.getByRole('link', {name: 'Show older'}).click();
	await page.waitForURL(/cursor=/);
	assert.equal(await page.locator('#past > li').count(), 2);
	assert.notEqual(await page.locator('#past > li').first().textContent(), newest);
}));

for (const {lang, width, script} of [{lang: 'en', width: 1440}, {lang: 'ro', width: 390}, {lang: 'ro', width: 1440, script: false}]) {
	test(`a receipt is a page and a file: ${lang}, ${width} wide${script === false ? ', without scripts' : ''}`, () => withPage({lang, width, script, expected: [404]}, async (page) => {
		const say = {en: ['Signed receipt', 'Genuine receipt ✓', 'No receipt has the number', 'Not a genuine receipt'],
			ro: ['Dovada semnată', 'Dovadă autentică ✓', 'Nicio dovadă nu are numărul', 'Dovada nu este autentică']}[lang];
		await open(page, `/companies/${cui}/status?date=2020-12-05`);
		await page.getByRole('link', {name: say[0]}).click();
		await page.waitForURL(/receipts.rcp_[a-z2-7]{26}$/);
		await shows(page, say[1]);
		if (script !== false) await looksRight(page);
		await shot(page, `receipt-${lang}-${width}`);
		const address = page.url(), jwt = await (await page.request.get(`${address}.jwt`)).text();
		const pdf = await page.request.get(`${address}.pdf`);
		assert.match(pdf.headers()['content-disposition'], /receipt-9900000134-2020-12-05\.pdf/);
		assert.ok((await pdf.body()).subarray(0, 5).equals(Buffer.from('%PDF-')));
		await page.goto(address.replace('/receipts/', '/v1/receipts/')); // as in the QR code
		assert.equal(page.url(), address);
		await page.goto(address.replace(/.{4}$/, 'aaaa'));
		await shows(page, say[2]);
		await open(page, '/receipts');
		await page.locator('textarea').fill(jwt);
		await page.locator('main form button').click();
		await shows(page, say[1]);
		await open(page, '/receipts');
		await page.locator('textarea').fill(jwt.replace(/\.[^.]{8}/g, (part) => part.slice(0, 1) + part.slice(2) + part[1]).replace(/^[^.]*\.[^.]*/, jwt.match(/^[^.]*\.[^.]*/)[0]));
		await page.locator('main form button').click();
		await shows(page, say[3]);
		if (script !== false) await looksRight(page);
	}));
}
