// Every page, in both languages, light and dark, wide and on a phone.

import assert from 'node:assert/strict';
import test from 'node:test';

import {base, looksRight, shot, shows, withPage} from './browser.mjs';

const pages = {
	front: {path: '/', en: 'What is inside', ro: 'Ce găsiți aici'},
	company: {path: '/?q=9900000010', en: 'Net result', ro: 'Rezultat net'},
	rate: {path: '/?q=EUR', en: 'As a table', ro: 'Ca tabel'},
	guides: {path: '/docs', en: 'The first request', ro: 'Prima cerere'},
	guide: {path: '/docs/errors', en: 'What to do', ro: 'Ce este de făcut'},
	reference: {path: '/docs/api', en: 'Your API key, for trying', ro: 'Cheia dumneavoastră API, pentru încercări'},
	status: {path: '/status', en: 'Last answer', ro: 'Ultimul răspuns'},
	plans: {path: '/dashboard/plans', en: 'By agreement', ro: 'La înțelegere'},
	'sign-in': {path: '/dashboard', en: 'No account yet?', ro: 'Nu aveți cont?'},
	'sign-up': {path: '/dashboard/sign-up', en: 'Free, without a card.', ro: 'Gratuit, fără card.'},
};

for (const [name, {path, ...texts}] of Object.entries(pages)) {
	for (const look of [{lang: 'en', width: 1280, dark: false}, {lang: 'ro', width: 390, dark: true}, {lang: 'ro', width: 1280, dark: false}]) {
		const how = `${look.lang}, ${look.width} wide, ${look.dark ? 'dark' : 'light'}`;
		test(`${name}: ${how}`, () => withPage(look, async (page) => {
			await page.goto(base + path);
			await shows(page, texts[look.lang]);
			assert.equal(await page.getAttribute('html', 'lang'), look.lang);
			await looksRight(page);
			await shot(page, `${name}-${look.lang}-${look.width}`);
		}));
	}
}

test('the past is drawn, told, and there as a table', () => withPage({}, async (page) => {
	const today = new Date().toISOString().slice(0, 10);
	const days = [{date: '2026-06-09', ok: 0, stale: 0, down: 0, unknown: 86400}, {date: '2026-06-10', ok: 82800, stale: 0, down: 3600, unknown: 0}, {date: today, ok: 600, stale: 60, down: 0, unknown: 5}];
	await page.route('**/v1/status/history?days=90', (route) => route.fulfill({json: {sources: [{name: 'bnr', days, incidents: [
		{from: `${today}T00:10:00Z`, to: null, state: 'stale'}, {from: '2026-06-10T02:00:00Z', to: '2026-06-10T03:00:00Z', state: 'down'},
	]}]}}));
	await page.goto(`${base}/status`);
	await shows(page, 'Up to date for 95.79% of the known time, 1 day in all.');
	await page.locator('[data-past=bnr] svg').hover();
	await page.locator('[data-past=bnr] p').getByText('10 June 2026: Down 1 hr, Up to date 23 hrs').waitFor();
	await page.getByText('As a table').click();
	await page.getByRole('cell', {name: '23 hrs'}).waitFor();
	assert.equal(await page.getByRole('row').count(), 3);
	await shows(page, /, 1 hr$/);
	await shows(page, /so far$/);
	await looksRight(page);
}));

test('without JavaScript, what needs none is there', () => withPage({script: false}, async (page) => {
	await page.goto(`${base}/`);
	await shows(page, 'Every answer says where it comes from');
	await page.goto(`${base}/docs/invoices`);
	await shows(page, 'Which rate');
	await page.goto(`${base}/docs/api`);
	await shows(page, 'Get a Romanian company by its tax id');
}));

test('a change of language keeps the address and is remembered', () => withPage({lang: 'en'}, async (page) => {
	await page.goto(`${base}/?q=6210`);
	await shows(page, 'Computer programming activities');
	await page.getByRole('link', {name: 'Română'}).click();
	await shows(page, 'Activități de realizare a softului');
	assert.equal(page.url(), `${base}/?q=6210`);
	await page.goto(`${base}/status`);
	await shows(page, 'Starea registrelor');
}));

test('the keyboard reaches the content at once', () => withPage({}, async (page) => {
	await page.goto(`${base}/docs`);
	await page.keyboard.press('Tab');
	assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to content');
	await page.keyboard.press('Enter');
	assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
}));
