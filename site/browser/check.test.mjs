// Checking suppliers, from the front page with a workbook as an office has it to the table of problems.

import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import test from 'node:test';

import {base, looksRight, shot, withPage} from './browser.mjs';
import {signUp} from './people.mjs';
import {workbook} from './workbook.mjs';

// suppliers returns a workbook of 300 rows: two title rows, a sheet of notes before the list, numbers with RO, as texts
// and in scientific notation, dates in three forms, 30 blanks, 15 mistyped numbers, and repeated companies.
async function suppliers(distinct) {
	const ids = [];
	while (ids.length < distinct) {
		const response = await fetch(`${base}/v1/companies?limit=100&offset=${ids.length}`);
		if (response.status === 429 || response.status === 503) { // or the trade register is still being loaded
			await new Promise((resume) => setTimeout(resume, 1100));
			continue;
		}
		const {items} = await response.json();
		assert.ok(items.length, 'the sandbox has enough companies');
		ids.push(...items.map(({taxId}) => taxId).filter(Boolean));
	}
	const rows = Array.from({length: 300}, (_, i) => {
		const id = ids[i % distinct];
		const written = i % 10 === 3 ? null : i % 20 === 7 ? `${id}`.replace(/.$/, (digit) => (Number(digit) + 1) % 10) : [`RO ${id}`, id, `${id}`, {number: Number(id).toExponential().replace('e', 'E')}][i % 4];
		const date = [{date: 46000 + i % 90}, `${String(1 + i % 28).padStart(2, '0')}.03.2026`, `2026-02-${String(1 + i % 28).padStart(2, '0')}`][i % 3];
		return [i + 1, `Furnizorul ${i + 1}`, written, date, 100.5 + i];
	});
	return workbook({'Notițe': [['De sunat la bancă'], ['Parola e la Ana']],
		'Furnizori 2026': [['Situația furnizorilor'], ['întocmit de Ana Exemplu'], [], ['Nr.', 'Furnizor', 'Cod fiscal furnizor', 'Data facturii', 'Suma'], ...rows]});
}

const file = (buffer) => ({name: 'furnizori 2026.xlsx', mimeType: '', buffer});
const rows = (page, level = '') => page.locator(`.verdicts tbody tr${level && `[data-level=${level}]`}`);

for (const [lang, width] of [['ro', 390], ['en', 1280]]) {
	test(`the first rows are checked without an account (${lang}, ${width})`, () => withPage({lang, width, expected: [401]}, async (page) => {
		const book = await suppliers(60);
		await page.goto(base);
		const began = Date.now();
		await page.getByRole('main').getByRole('link', {name: /^(Check suppliers|Verificați furnizorii)$/}).click();
		await page.locator('#list-file:enabled').setInputFiles(file(book));
		await page.locator('.verdicts .summary').waitFor();
		console.log(`20 rows without an account: 2 clicks, ${(Date.now() - began) / 1000} s`);
		assert.equal(await rows(page).count(), 20);
		assert.equal(await rows(page, 'blank').count(), 2);
		assert.equal(await rows(page, 'invalid').count(), 1);
		const levels = await rows(page).evaluateAll((all) => all.map((row) => row.dataset.level));
		const order = ['problem', 'invalid', 'attention', 'unknown', 'clear', 'blank'];
		assert.deepEqual(levels, levels.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)), 'the problems come first');
		await looksRight(page);
		await shot(page, `check-first-${lang}-${width}`);
	}));
}

test('a list is checked with an account, filtered, returned and watched', () => withPage({lang: 'ro', expected: [401]}, async (page) => {
	await signUp(page);
	const book = await suppliers(60); // a new account has 100 credits, and each pair of company and day costs one
	await page.goto(base);
	const began = Date.now();
	await page.getByRole('main').getByRole('link', {name: 'Verificați furnizorii'}).click();
	await page.locator('#list-file:enabled').setInputFiles(file(book));
	await page.getByLabel('Coloana cu date').selectOption('none');
	await page.locator('.preview:not([aria-busy]) b').getByText(/^300 de rânduri · cel mult \d+ de credite/).waitFor();
	assert.equal(await page.getByLabel('Foaia de calcul').inputValue(), 'Furnizori 2026');
	await page.getByRole('button', {name: 'Verificați lista'}).click();
	await page.locator('.verdicts .summary').waitFor();
	await page.locator('#jobs .badge.good').waitFor();
	const seconds = (Date.now() - began) / 1000;
	console.log(`300 rows with an account: 4 clicks, ${seconds} s`);
	assert.ok(seconds < 20, `${seconds} s`);
	assert.match(await page.locator('.verdicts .summary').textContent(), /^300 de rânduri: \d+ cu probleme, 15 CUI-uri greșite, .*30 de goale\.$|^300 de rânduri: .*15 CUI-uri greșite.*30 goale\.$/);
	await looksRight(page);
	await shot(page, 'check-ro');

	await page.getByRole('button', {name: /cu probleme$/}).click();
	assert.equal(await rows(page).count(), await rows(page, 'problem').count());
	assert.match(await rows(page).first().textContent(), /firma era|activitatea era|niciun registru/);
	const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', {name: /^Descărcați XLSX/}).click()]);
	assert.equal(download.suggestedFilename(), 'furnizori-2026-rodata.xlsx');
	assert.equal((await readFile(await download.path())).subarray(0, 2).toString(), 'PK');

	await page.getByRole('button', {name: 'Urmăriți aceste firme'}).click();
	await page.getByText(/Urmărite în lista „furnizori 2026”: \d+\. Neadăugate: 0\./).waitFor();
	await page.reload(); // the address names the list
	await page.locator('.verdicts .summary').waitFor();
}));

test('the file is kept while an account is created', () => withPage({expected: [401]}, async (page) => {
	await page.goto(`${base}/check`);
	await page.locator('#list-file:enabled').setInputFiles({name: 'two.csv', mimeType: 'text/csv', buffer: Buffer.from('CUI\n9900000010\n9900000029\n')});
	await page.locator('.verdicts .summary').waitFor();
	await page.locator('#result').getByRole('link', {name: 'Create an account'}).click();
	await signUp(page, {at: null, goal: page.locator('.preview b').getByText(/^2 rows/)});
	await page.getByRole('heading', {name: 'two.csv'}).waitFor();
}));
