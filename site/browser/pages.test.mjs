// Every page, in both languages, light and dark, wide and on a phone.

import assert from 'node:assert/strict';
import test from 'node:test';

import {base, looksRight, open, shot, shows, unlimited, withPage} from './browser.mjs';
import {own, pages} from './pages.mjs';
import {signUp, watchSome} from './people.mjs';

// Every pair of language, colour scheme and width occurs once; one more look is even narrower. An open page takes on each
// look of its language in turn, as when a phone is turned or the evening comes.
const looks = {
	en: [{width: 1440, dark: false}, {width: 390, dark: true}],
	ro: [{width: 1440, dark: true}, {width: 390, dark: false}, {width: 320, dark: true}],
};

// checkLooks checks an open page in all looks of a language.
async function checkLooks(page, lang, {name, ...texts}) {
	await page.getByText(texts[lang]).first().waitFor({state: 'attached'}); // it may be in a list that is not open
	assert.equal(await page.getAttribute('html', 'lang'), lang);
	for (const {width, dark} of looks[lang]) {
		await page.setViewportSize({width, height: 900});
		await page.emulateMedia({colorScheme: dark ? 'dark' : 'light'});
		await looksRight(page, `${name}, ${width} wide, ${dark ? 'dark' : 'light'}`);
		await shot(page, `${name}-${lang}-${width}`);
	}
}

for (const lang of Object.keys(looks)) {
	for (const shown of pages) {
		test(`${shown.name}, ${lang}: on every screen, light and dark`, () => withPage({lang, ...looks[lang][0]}, async (page) => {
			await open(page, shown.path);
			await checkLooks(page, lang, shown);
		}));
	}

	test(`the pages of an account, ${lang}: on every screen, light and dark`, () => withPage({lang, ...looks[lang][0], expected: [401, 503]}, async (page) => {
		await signUp(page);
		await watchSome(page);
		for (const shown of own) {
			await open(page, shown.path);
			await checkLooks(page, lang, shown);
		}
	}));
}

test('the status history is shown as a chart, a text and a table', () => withPage({}, async (page) => {
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

test('without JavaScript, the static content is shown', () => withPage({script: false}, async (page) => {
	await page.goto(`${base}/`);
	await shows(page, 'Every answer says where it comes from');
	await page.goto(`${base}/docs/invoices`);
	await shows(page, 'Which rate');
	await page.goto(`${base}/docs/api`);
	await shows(page, 'Get a Romanian company by its tax id');
}));

test('changing the language keeps the address and is remembered', () => withPage({lang: 'en'}, async (page) => {
	await open(page, '/companies?q=exemplu&county=CJ');
	await page.locator('.rows').getByText('In operation').first().waitFor();
	await page.getByRole('link', {name: 'Română'}).click();
	await unlimited(page);
	await page.locator('.rows').getByText('În funcțiune').first().waitFor();
	await page.waitForURL(`${base}/companies?q=exemplu&county=CJ`); // once a script has removed lang
	await page.goto(`${base}/status`);
	await shows(page, 'Starea registrelor');
}));

test('without JavaScript, companies can be searched, filtered, paged and opened', () => withPage({script: false}, async (page) => {
	const next = async (act) => {
		await act();
		// Without scripts, the page cannot report the status.
		while (await page.getByRole('heading', {name: 'Too many requests'}).count()) {
			await page.waitForTimeout(1100);
			await page.reload();
		}
	};
	await next(() => page.goto(base));
	await page.getByRole('search').getByRole('textbox').fill('exemplu');
	await next(() => page.getByRole('button', {name: 'Search'}).click());
	await page.getByText('Filters and order').click();
	await page.getByLabel('Order').selectOption('Name');
	await next(() => page.getByRole('button', {name: 'Search'}).click());
	const all = Number((await page.getByRole('heading', {name: /^\d+ companies$/}).first().textContent()).match(/^\d+/)[0]);
	await next(() => page.getByRole('link', {name: 'Next →'}).click());
	assert.equal(new URL(page.url()).search, '?page=2&q=exemplu&sort=name');
	await shows(page, `26 to ${Math.min(all, 50)}`);
	await page.getByText('Filters and order').click();
	await page.getByLabel('County').selectOption('CLUJ');
	await next(() => page.getByRole('button', {name: 'Search'}).click());
	assert.match(new URL(page.url()).search, /^\?q=exemplu&county=CJ&.*&sort=name$/);
	await next(() => page.locator('.rows a[href^="/companies/"]').first().click());
	assert.match(page.url(), /\/companies\/99\d+$/);
	await next(() => page.goto(`${base}/rates/EUR`));
	await page.getByLabel('Amount in EUR').fill('250');
	await page.getByLabel('Into').selectOption('USD');
	await next(() => page.getByRole('button', {name: 'Convert'}).click());
	await shows(page, /^250 EUR = /);
}));

test('a skip link leads the keyboard to the content', () => withPage({}, async (page) => {
	await page.goto(`${base}/docs`);
	await page.keyboard.press('Tab');
	assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to content');
	await page.keyboard.press('Enter');
	assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
}));

for (const name of ['front', 'company', 'results', 'rate', 'operation', 'plans']) {
	test(`everything is reachable by keyboard, with visible focus: ${name}`, () => withPage({}, async (page) => {
		const {path, en} = pages.find((shown) => shown.name === name);
		await open(page, path);
		await page.getByText(en).first().waitFor({state: 'attached'});
		const all = await page.evaluate(() => {
			const focusable = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
				.filter((e) => !e.disabled && e.checkVisibility({visibilityProperty: true}) && e.type !== 'hidden' && (e.type !== 'radio' || e.checked));
			focusable.forEach((e, i) => { e.dataset.walk = i; });
			return focusable.map((e) => e.outerHTML.slice(0, 120));
		});
		const left = new Map(all.entries());
		for (let i = 0; i < all.length + 20 && left.size; i++) {
			await page.keyboard.press('Tab');
			const {walk, seen} = await page.evaluate(() => {
				const e = document.activeElement, style = getComputedStyle(e.type === 'radio' ? e.nextElementSibling : e), box = e.getBoundingClientRect();
				return {walk: e.dataset.walk, seen: style.outlineStyle !== 'none' && box.bottom > 0 && box.top < innerHeight};
			});
			if (!left.delete(Number(walk))) continue; // the browser's own calendar button in a date
			assert.ok(seen, `it cannot be seen that this has the focus: ${all[walk]}`);
		}
		assert.deepEqual([...left.values()], []);
	}));
}
