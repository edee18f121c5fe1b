// The pages say plainly what is unknown: when a register fails, a company has a bad status, or an answer is stale or
// missing.

import assert from 'node:assert/strict';
import test from 'node:test';

import {answered, base, looksRight, open, shot, shows, unlimited, withPage} from './browser.mjs';

const looks = [
	{lang: 'en', width: 1440, dark: false}, {lang: 'en', width: 390, dark: true}, {lang: 'ro', width: 1440, dark: true},
	{lang: 'ro', width: 390, dark: false}, {lang: 'ro', width: 320, dark: false},
];
const badges = (page) => page.locator('.badges .badge').evaluateAll((all) => all.map((one) => [one.className.replace('badge ', ''), one.textContent]));
const green = (page) => page.locator('main .badge.good').count();

// The tax authority does not know this company; the trade register does. Its balance sheets may arrive too late.
const omitted = {
	en: {banner: 'ANAF (tax authority) could not be asked. Not known: the state of the company, fiscal inactivity, VAT registration', badges: ['ONRC: In operation', 'Inactive: unknown', 'VAT: unknown', 'e-Factura: unknown', 'VAT on collection: unknown']},
	ro: {banner: 'Nu s-au putut obține date de la ANAF. Nu se cunosc: starea firmei, inactivitatea fiscală, înregistrarea în scopuri de TVA', badges: ['ONRC: În funcțiune', 'Inactivitate fiscală: necunoscută', 'TVA: necunoscut', 'e-Factura: necunoscut', 'TVA la încasare: necunoscut']},
};
for (const look of looks) {
	for (const script of [true, false]) {
		const how = `${look.lang}, ${look.width} wide, ${look.dark ? 'dark' : 'light'}, ${script ? 'with' : 'without'} scripts`;
		test(`a company unknown to the tax authority: ${how}`, () => withPage({...look, script}, async (page) => {
			await page.goto(`${base}/companies/9900009079`);
			await page.getByRole('heading', {name: 'EXEMPLU OMIS DE ANAF SRL'}).waitFor();
			const wanted = omitted[look.lang];
			const banner = await page.locator('article > :first-child.notice').textContent();
			assert.ok(banner.startsWith(wanted.banner), banner);
			assert.deepEqual(await badges(page), wanted.badges.map((text) => ['unknown', text]));
			if (script) await looksRight(page);
			await shot(page, `unknown-${look.lang}-${look.width}`);
		}));
		test(`an inactive company is red, and no part of its page is green: ${how}`, () => withPage({...look, script}, async (page) => {
			await page.goto(`${base}/companies/9900000088`);
			await shows(page, {en: 'Fiscally inactive since 5 May 2009', ro: 'Inactivă fiscal din 5 mai 2009'}[look.lang]);
			const [first, second] = await badges(page);
			assert.deepEqual([first[0], second[0]], ['bad', 'bad']);
			assert.equal(second[1], {en: 'Not registered for VAT since 16 March 2009 (cancellation entered on 18 March 2009)', ro: 'Fără TVA din 16 martie 2009 (anulare operată la 18 martie 2009)'}[look.lang]);
			assert.equal(await green(page), 0);
			if (script) await looksRight(page);
			await shot(page, `inactive-${look.lang}-${look.width}`);
		}));
	}
}

// isOld reports whether the release of the sandbox's trade register is out of date.
async function isOld(page) {
	const {sources} = await (await page.request.get(`${base}/v1/companies/9900000010`)).json();
	return Date.now() - Date.parse(sources.find(({name}) => name === 'onrc').asOf) > 71 * 86400e3;
}

test('a company in good standing is green, without a warning', () => withPage({}, async (page) => {
	const old = await isOld(page);
	await page.goto(`${base}/companies/9900000010`);
	await shows(page, 'Registered for VAT since 4 April 2012');
	assert.deepEqual((await badges(page)).map(([kind]) => kind), old ? ['unknown', 'unknown', 'neutral', 'neutral', 'neutral'] : ['good', 'good', 'good', 'neutral']);
	assert.equal(await page.locator('[data-notice=stale]').count(), old ? 1 : 0);
	assert.equal(await page.locator('[data-notice=unknown]').count(), old ? 1 : 0);
}));

test('search results are not green: a search does not ask the tax authority', () => withPage({}, async (page) => {
	await open(page, '/companies?q=exemplu+inactiv');
	await shows(page, 'VAT and fiscal inactivity are on the page of each company.');
	assert.equal(await page.locator('.badge.good').count(), 0);
	await open(page, '/companies?q=exemplu+insolvent');
	if (await isOld(page)) await page.locator('.rows .badge.unknown').getByText('Insolvency: unknown').waitFor();
	else await page.locator('.rows .badge.bad').getByText('Insolvent').waitFor();
	await looksRight(page);
}));

test('a suggestion shows an unusual state', () => withPage({}, async (page) => {
	await page.route('**/v1/companies/suggest?*', async (route) => route.fulfill({response: await answered(route)}));
	await page.goto(base);
	await page.getByRole('combobox').pressSequentially('exemplu radiat', {delay: 20});
	await page.getByRole('option').getByText('Struck off').waitFor();
}));

test('a conversion links to the chart of its currency pair', () => withPage({}, async (page) => {
	await page.goto(`${base}/?q=250+EUR+USD+2026-06-10`);
	await page.getByRole('link', {name: '1 EUR in USD over time'}).click();
	await unlimited(page);
	await page.waitForURL(`${base}/rates/EUR?to=USD`);
	assert.match(await page.getByRole('img').first().getAttribute('aria-label'), /^EUR in USD from /);
	await page.getByText('As a table').click();
	await page.getByRole('row', {name: '10 June 2026 1.155854'}).waitFor();
	await page.goto(`${base}/?q=250+RON+EUR`);
	assert.equal(await page.getByRole('link', {name: '1 EUR in RON over time'}).getAttribute('href'), '/rates/EUR');
}));

test('unavailable rates are reported, and stale rates are marked as stale', () => withPage({expected: [503]}, async (page) => {
	await page.route('**/v1/fx-rates?*', (route) => route.fulfill({status: 503, contentType: 'application/problem+json', json: {type: '/problems/unavailable', title: 'Unavailable', detail: 'the central bank'}}));
	await page.goto(base);
	await page.locator('#rates [role=alert]').getByText('Temporarily unavailable').waitFor();
	await page.unroute('**/v1/fx-rates?*');
	await page.route(/\/v1\/fx-rates(\/convert)?\?/, async (route) => {
		const response = await answered(route);
		await route.fulfill({response, headers: {...response.headers(), 'cache-status': 'rodata; hit; ttl=-60; detail=stale'}});
	});
	await page.getByRole('button', {name: 'Try again'}).click();
	await page.locator('#rates .notice').getByText('BNR could not be asked for the latest rate.').waitFor();
	await page.goto(`${base}/?q=250+EUR+USD`);
	await page.locator('#answer .notice').getByText('BNR could not be asked for the latest rate.').waitFor();
	await looksRight(page);
}));

test('a state that is no longer known is not shown in green', () => withPage({expected: [503]}, async (page) => {
	await page.goto(`${base}/status`);
	await page.locator('#sources .card').first().waitFor();
	await page.route('**/v1/status', (route) => route.fulfill({status: 503, contentType: 'application/problem+json', json: {type: '/problems/unavailable', title: 'Unavailable', detail: 'restarting'}}));
	await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
	await shows(page, 'The service does not answer, so the state of the registers is not known now.');
	assert.equal(await page.locator('#sources .badge.good').count(), 0);
	assert.equal(await page.locator('#sources .badge.unknown').count(), await page.locator('#sources .card').count());
	await looksRight(page);
}));

test('the summary does not report success while a registry has never been asked', () => withPage({lang: 'ro'}, async (page) => {
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
