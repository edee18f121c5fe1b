// Every page, in both languages, light and dark, wide and on a phone.

import assert from 'node:assert/strict';
import test from 'node:test';

import {base, looksRight, shot, shows, withPage} from './browser.mjs';

const pages = {
	front: {path: '/', en: 'What is inside', ro: 'Ce conține'},
	company: {path: '/?q=9900000010', en: 'Net result', ro: 'Rezultat net'},
	rate: {path: '/?q=EUR', en: 'As a table', ro: 'Ca tabel'},
	guides: {path: '/docs', en: 'The first request', ro: 'Prima cerere'},
	guide: {path: '/docs/errors', en: 'What to do', ro: 'Ce este de făcut'},
	reference: {path: '/docs/api', en: 'Your API key, for trying', ro: 'Cheia dumneavoastră API, pentru încercări'},
	status: {path: '/status', en: 'Last answered', ro: 'Ultimul răspuns'},
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
