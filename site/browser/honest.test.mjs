// What is not known is said as loudly as what is, in the page that people see: with a
// register that fails, a company that is bad, answers that are old, and no answer.

import assert from 'node:assert/strict';
import test from 'node:test';

import {answered, base, looksRight, shot, shows, withPage} from './browser.mjs';

const looks = [
	{lang: 'en', width: 1440, dark: false}, {lang: 'en', width: 390, dark: true}, {lang: 'ro', width: 1440, dark: true},
	{lang: 'ro', width: 390, dark: false}, {lang: 'ro', width: 320, dark: false},
];
const badges = (page) => page.locator('.badges .badge').evaluateAll((all) => all.map((one) => [one.className.replace('badge ', ''), one.textContent]));
const green = (page) => page.locator('#answer .badge.good').count();

// The tax authority's answer leaves this company out; the trade register has it. Its
// balance sheets may not come in time: then that is said in their place.
const omitted = {
	en: {banner: 'ANAF (tax authority) could not be asked. Not known: fiscal inactivity, VAT registration', badges: ['Inactive: unknown', 'VAT: unknown', 'e-Factura: unknown', 'VAT on collection: unknown', 'In operation']},
	ro: {banner: 'Nu s-au putut obține date de la ANAF. Nu se cunosc: inactivitatea fiscală, înregistrarea în scopuri de TVA', badges: ['Inactivitate fiscală: necunoscută', 'TVA: necunoscut', 'e-Factura: necunoscut', 'TVA la încasare: necunoscut', 'În funcțiune']},
};
for (const look of looks) {
	const how = `${look.lang}, ${look.width} wide, ${look.dark ? 'dark' : 'light'}`;
	test(`a company of which the tax authority says nothing: ${how}`, () => withPage({...look, expected: [502, 504]}, async (page) => {
		await page.goto(`${base}/?q=9900009079`);
		await page.getByRole('heading', {name: 'EXEMPLU OMIS DE ANAF SRL'}).waitFor();
		const wanted = omitted[look.lang];
		const banner = await page.locator('#answer > div > :first-child.notice').textContent();
		assert.ok(banner.startsWith(wanted.banner), banner);
		assert.deepEqual(await badges(page), wanted.badges.map((text, i) => [i < 4 ? 'unknown' : 'neutral', text]));
		await looksRight(page);
		await shot(page, `unknown-${look.lang}-${look.width}`);
	}));
	test(`an inactive company is red, and nothing of it is green: ${how}`, () => withPage(look, async (page) => {
		await page.goto(`${base}/?q=9900000088`);
		await shows(page, {en: 'Fiscally inactive since 5 May 2009', ro: 'Inactivă fiscal din 5 mai 2009'}[look.lang]);
		const [first, second] = await badges(page);
		assert.deepEqual([first[0], second[0]], ['bad', 'bad']);
		assert.equal(second[1], {en: 'VAT registration cancelled on 18 Mar 2009', ro: 'Cod de TVA anulat la 18 mar. 2009'}[look.lang]);
		assert.equal(await green(page), 0);
		await looksRight(page);
		await shot(page, `inactive-${look.lang}-${look.width}`);
	}));
}

test('a company of which everything is known and well is green, without a warning', () => withPage({}, async (page) => {
	await page.clock.setFixedTime('2026-10-20T10:00:00Z'); // the stand-in's release is not old then
	await page.goto(`${base}/?q=9900000010`);
	await shows(page, 'Registered for VAT since 4 Apr 2012');
	assert.deepEqual((await badges(page)).map(([kind]) => kind), ['good', 'good', 'good', 'good']);
	assert.equal(await page.locator('[data-notice]').count(), 0);
}));

test('what is out of date says of when it is, with the zone', () => withPage({lang: 'ro'}, async (page) => {
	await page.clock.setFixedTime('2026-10-20T10:00:00Z');
	await page.route('**/v1/companies/9900000010', async (route) => {
		const response = await answered(route), company = await response.json();
		Object.assign(company.sources[0], {stale: true, retrievedAt: '2026-10-17T09:30:00Z'});
		await route.fulfill({response, json: company});
	});
	await page.goto(`${base}/?q=9900000010`);
	await page.locator('[data-notice=stale]').waitFor();
	const told = /17 oct\. 2026, \d\d:\d\d (UTC|EEST|GMT)/;
	assert.match(await page.locator('[data-notice]').textContent(), told);
	assert.match(await page.locator('[data-fact=vat]').textContent(), told);
	assert.equal(await green(page), 0);
	await looksRight(page);
}));

test('rows of a search are not green: nobody has looked at taxes', () => withPage({}, async (page) => {
	await page.goto(`${base}/?q=exemplu+inactiv`);
	await shows(page, 'VAT and fiscal inactivity are on the page of each company.');
	assert.equal(await green(page), 0);
	await page.goto(`${base}/?q=exemplu+insolvent`);
	await page.locator('#answer .badge.bad').getByText('Insolvent').waitFor();
	await looksRight(page);
}));

test('a suggestion says what is bad', () => withPage({}, async (page) => {
	await page.route('**/v1/companies/suggest?*', async (route) => route.fulfill({response: await answered(route)}));
	await page.goto(base);
	await page.getByRole('combobox').pressSequentially('exemplu radiat', {delay: 20});
	await page.getByRole('option').getByText('Struck off').waitFor();
}));

test('balance sheets that are on their way are not called missing', () => withPage({}, async (page) => {
	await page.route('**/v1/companies/9900000010?include=balanceSheets', async (route) => {
		const response = await answered(route, {url: `${base}/v1/companies/9900000010`}), company = await response.json();
		company.balanceSheets = [];
		company.sources = [...company.sources.filter(({name}) => name !== 'anaf-bilant'), {name: 'anaf-bilant', retrievedAt: null, asOf: null, cache: 'MISS', stale: false, missingYears: [2025, 2024]}];
		await route.fulfill({response, json: company});
	});
	await page.goto(`${base}/?q=9900000010`);
	await shows(page, 'Not known yet: 2025, 2024.');
	assert.equal(await page.getByText('No balance sheets are on file.').count(), 0);
}));

test('a conversion draws the pair that was asked', () => withPage({}, async (page) => {
	await page.goto(`${base}/?q=250+EUR+USD+2026-06-10`);
	const chart = page.locator('[data-pair="EUR USD"]');
	await chart.getByRole('img').waitFor();
	await shows(page, '1 EUR in USD over time');
	assert.match(await chart.getByRole('img').getAttribute('aria-label'), /^EUR in USD from /);
	await chart.getByText('As a table').click();
	assert.deepEqual(await chart.getByRole('row').nth(1).getByRole('cell').allTextContents(), ['10 June 2026', '1.155854']);
	await looksRight(page);
	await page.goto(`${base}/?q=250+RON+EUR`);
	await page.locator('[data-pair="EUR RON"]').getByRole('img').waitFor();
}));

test('rates that cannot be had are missed, and old ones are called old', () => withPage({expected: [503]}, async (page) => {
	await page.route('**/v1/fx-rates?*', (route) => route.fulfill({status: 503, contentType: 'application/problem+json', json: {type: '/problems/unavailable', title: 'Unavailable', detail: 'the central bank'}}));
	await page.goto(base);
	await page.locator('#rates [role=alert]').getByText('Not available at the moment').waitFor();
	await page.unroute('**/v1/fx-rates?*');
	await page.route('**/v1/fx-rates?*', async (route) => {
		const response = await answered(route);
		await route.fulfill({response, headers: {...response.headers(), 'cache-status': 'rodata; hit; ttl=-60; detail=stale'}});
	});
	await page.getByRole('button', {name: 'Try again'}).click();
	await page.locator('#rates .notice').getByText('BNR could not be asked for the latest rate.').waitFor();
	await page.goto(`${base}/?q=EUR`);
	await page.locator('#answer .notice').getByText('BNR could not be asked for the latest rate.').waitFor();
	await looksRight(page);
}));

test('a state that is no longer known is not green', () => withPage({expected: [503]}, async (page) => {
	await page.goto(`${base}/status`);
	await page.locator('#sources .card').first().waitFor();
	await page.route('**/v1/status', (route) => route.fulfill({status: 503, contentType: 'application/problem+json', json: {type: '/problems/unavailable', title: 'Unavailable', detail: 'restarting'}}));
	await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
	await shows(page, 'The service does not answer, so the state of the registers is not known now.');
	assert.equal(await page.locator('#sources .badge.good').count(), 0);
	assert.equal(await page.locator('#sources .badge.unknown').count(), await page.locator('#sources .card').count());
	await looksRight(page);
}));

test('a registry that was never asked keeps the summary from saying that all is well', () => withPage({lang: 'ro'}, async (page) => {
	await page.route('**/v1/status', async (route) => {
		const response = await answered(route), status = await response.json();
		for (const source of status.sources) source.state = source.name === 'anaf' ? 'unknown' : 'ok';
		await route.fulfill({response, json: status});
	});
	await page.goto(`${base}/status`);
	await shows(page, 'Încă nu se cunoaște starea pentru: ANAF.');
	assert.equal(await page.locator('#sources [data-source=anaf] .badge').textContent(), 'Necunoscut');
	await looksRight(page);
}));
