// Lists, from choosing a file to downloading the result.

import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import test from 'node:test';

import {base, looksRight, shot, shows, withPage} from './browser.mjs';
import {send, signUp} from './people.mjs';

const csv = (text, name = 'furnizori.csv') => ({name, mimeType: 'text/csv', buffer: Buffer.from(text)});
const choose = (page, file) => page.locator('#list-file').setInputFiles(file);
const job = (page, name) => page.locator('#jobs li').filter({hasText: name});
const lists = (page) => page.locator('#jobs h3');
const begin = /^(Check the list|Verificați lista)$/;

// download clicks a link and returns the downloaded file.
async function download(page, name) {
	const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', {name}).click()]);
	return {name: file.suggestedFilename(), content: await readFile(await file.path())};
}

test('a table is uploaded, recognised, and returned with columns added', () => withPage({expected: [400, 401]}, async (page) => {
	await signUp(page, {at: '/dashboard/sign-up?return=/dashboard/lists', goal: lists(page)});
	await shows(page, 'There are no lists yet.');
	await choose(page, csv('Furnizor;Cod fiscal;Factură\nAlfa <b>;RO9900000010;F-1\nBeta;9900009990;F-2\nGama;nu are;F-3\n'));
	await page.getByRole('cell', {name: 'Alfa <b>'}).waitFor();
	assert.equal(await page.locator('.sample th.taxid').textContent(), 'Cod fiscal');
	assert.equal(await page.getByLabel('Column of tax ids').inputValue(), '2');
	assert.equal(await page.getByLabel('Column of dates').inputValue(), 'none');
	assert.equal(await page.getByLabel('Sheet').count(), 0);
	await page.locator('.preview').getByText(/^3 rows · at most 2 credits · about \d+ secs?$/).waitFor();
	await page.locator('.preview').getByText('invalid tax ids: 1 · header in row 1 · delimiter: ;').waitFor();
	await looksRight(page);
	await shot(page, 'lists-chosen');
	await page.locator('summary').getByText('Columns that are added').click();
	await page.getByLabel('CUI (tax id)').or(page.getByRole('checkbox', {name: 'Address'})).last().check();
	await page.getByRole('checkbox', {name: 'Insolvency'}).check();
	await send(page, begin, job(page, 'furnizori.csv'));
	await job(page, 'furnizori.csv').getByText('done', {exact: true}).waitFor();
	await job(page, 'furnizori.csv').getByText('Found: 1. Not found: 1. Invalid: 1. Blank: 0. Not answered: 0.').waitFor();
	await job(page, 'furnizori.csv').getByText(/column Cod fiscal .* 1 credit .* deleted on /).waitFor();
	await looksRight(page);
	await shot(page, 'lists-done');

	const {name, content} = await download(page, 'Download CSV: furnizori.csv');
	assert.match(name, /^furnizori-rodata\.csv$/);
	const [columns, first, second, third] = content.toString().replace('\uFEFF', '').split('\r\n');
	assert.match(columns, /^Furnizor;Cod fiscal;Factură;status;problem;asOf;name;stateRegistration;vatPayer;inactive\.status;eInvoice\.registered;insolvency\.state;address;verdict\.outcome;verdict\.failed;verdict\.unknown;verdict\.reasons$/);
	assert.match(first, /^Alfa <b>;RO9900000010;F-1;200;;\d{4}-\d\d-\d\d;EXEMPLU TRANSILVAN S\.R\.L\.;in_operation;true;/);
	assert.match(second, /^Beta;9900009990;F-2;404;/);
	assert.match(third, /^Gama;nu are;F-3;400;/);

	// The returned workbook is uploaded again.
	const workbook = await download(page, 'Download XLSX: furnizori.csv');
	assert.equal(workbook.content.subarray(0, 2).toString(), 'PK');
	await choose(page, {name: 'din nou.xlsx', mimeType: '', buffer: workbook.content});
	await page.getByRole('columnheader', {name: 'stateRegistration'}).waitFor();
	assert.equal(await page.getByLabel('Column of tax ids').locator('option:checked').textContent(), 'Cod fiscal');
	await send(page, begin, job(page, 'din nou.xlsx'));
	await job(page, 'din nou.xlsx').getByText(/column Cod fiscal/).waitFor();
	await job(page, 'din nou.xlsx').getByText('done', {exact: true}).waitFor();
	for (const format of ['NDJSON', 'Parquet']) assert.ok((await download(page, `Download ${format}: din nou.xlsx`)).content.length > 0);
	await page.reload();
	await job(page, 'furnizori.csv').getByText('done', {exact: true}).waitFor(); // names and lists are still there
}));

test('an unreadable file is reported before anything is sent', () => withPage({expected: [400, 401]}, async (page) => {
	await signUp(page, {at: '/dashboard/sign-up?return=/dashboard/lists', goal: lists(page)});
	await choose(page, {name: 'carte.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF')});
	await shows(page, 'Files of this kind cannot be read.');
	await choose(page, csv(''));
	await shows(page, 'The file is empty.');
	await choose(page, csv('a;b\n1;2\n'));
	await page.getByRole('alert').getByText('Choose a column or a sheet below.').waitFor();
	assert.ok(await page.getByRole('button', {name: begin}).isDisabled());
	assert.equal(await page.getByLabel('Column of tax ids').inputValue(), '');
	await page.getByLabel('Column of tax ids').selectOption({label: 'b'});
	await page.locator('.sample th.taxid').getByText('b').waitFor();
	assert.equal(await page.getByLabel('Column of tax ids').inputValue(), '2');
	await choose(page, {name: 'gol.xlsx', mimeType: '', buffer: Buffer.from('no workbook')});
	await page.locator('#chosen .notice.bad').waitFor();
	assert.ok(await page.getByRole('button', {name: begin}).isDisabled());
	await looksRight(page);
}));

test('the service finds the column below a title, by its content', () => withPage({expected: [401]}, async (page) => {
	await signUp(page, {at: '/dashboard/sign-up?return=/dashboard/lists', goal: lists(page)});
	await choose(page, csv('Situația furnizorilor\n\nFurnizor;Numărul lui\nAlfa;9900000010\nBeta;9900000029\n', 'titlu.csv'));
	await page.getByRole('columnheader', {name: 'Numărul lui'}).waitFor();
	assert.equal(await page.locator('.sample th.taxid').textContent(), 'Numărul lui');
	await page.locator('.preview').getByText(/header in row 3/).waitFor();
	await send(page, begin, job(page, 'titlu.csv'));
	await job(page, 'titlu.csv').getByText(/column Numărul lui/).waitFor();
}));

test('a sheet and the columns are changed, and the job uses them', () => withPage({lang: 'ro', width: 390, expected: [401]}, async (page) => {
	await signUp(page, {at: '/dashboard/sign-up?return=/dashboard/lists', goal: lists(page)});
	await page.evaluate(() => new PerformanceObserver((list) => list.getEntries().forEach(({value, hadRecentInput}) => { window.shift = (window.shift ?? 0) + (hadRecentInput ? 0 : value); })).observe({type: 'layout-shift'}));
	await page.route('**/v1/jobs/preview*', async (route) => {
		await new Promise((resume) => setTimeout(resume, 700)); // later than the browser excuses a shift by the input
		await route.continue();
	});
	await choose(page, {name: 'două foi.xlsx', mimeType: '', buffer: await readFile(new URL('sheets.xlsx', import.meta.url))});
	await page.locator('.preview').getByText(/^2 rânduri · cel mult 2 credite · aproximativ \d+ s/).waitFor();
	assert.deepEqual(await page.getByLabel('Foaia de calcul').locator('option').allTextContents(), ['Furnizori', 'Vechi']);
	assert.equal(await page.getByLabel('Coloana cu date').locator('option:checked').textContent(), 'Data facturii');
	await looksRight(page);
	await shot(page, 'lists-sheets');

	const dates = page.getByLabel('Coloana cu date');
	await dates.focus();
	await dates.selectOption('none');
	await page.waitForResponse('**/v1/jobs/preview?dateColumn=none');
	await page.locator('.preview:not([aria-busy])').waitFor();
	assert.ok(await dates.evaluate((field) => field === document.activeElement), 'the focus stays');
	await page.getByLabel('Foaia de calcul').selectOption('Vechi');
	await page.locator('.preview').getByText(/^1 rând · cel mult 1 credit · /).waitFor();
	assert.ok((await page.evaluate(() => window.shift ?? 0)) < 0.02, 'the layout does not shift');
	const [sent] = await Promise.all([page.waitForRequest((request) => request.method() === 'POST' && new URL(request.url()).pathname === '/v1/jobs'), send(page, begin, job(page, 'două foi.xlsx'))]);
	assert.equal(new URL(sent.url()).searchParams.get('sheet'), 'Vechi');
	await job(page, 'două foi.xlsx').getByText(/coloana CUI vechi/).waitFor();
}));

test('a table is pasted', () => withPage({expected: [401]}, async (page) => {
	await signUp(page, {at: '/dashboard/sign-up?return=/dashboard/lists', goal: lists(page)});
	await page.evaluate(() => navigator.clipboard.writeText('Firma\tCUI\nAlfa\t9900000010\n'));
	await page.getByLabel('Or paste tax ids or a table').focus();
	await page.keyboard.press('Control+V');
	await page.getByText(/header in row 1 · delimiter: tab/).waitFor();
	await looksRight(page);
	await send(page, begin, job(page, 'pasted.csv'));
	await job(page, 'pasted.csv').getByText(/column CUI/).waitFor();
}));

test('a file is dropped, its progress is shown, and it is cancelled', () => withPage({lang: 'ro', width: 390, dark: true, expected: [401]}, async (page) => {
	await signUp(page, {at: '/dashboard/sign-up?return=/dashboard/lists', goal: lists(page)});
	// The registry fails for the second company; the job retries it for a day.
	const table = 'cui\n9900000010\n9900009010\n';
	const transfer = await page.evaluateHandle((text) => {
		const data = new DataTransfer();
		data.items.add(new File([text], 'mulți clienți.csv'));
		return data;
	}, table);
	await page.dispatchEvent('.drop', 'dragover', {dataTransfer: transfer});
	assert.ok(await page.locator('.drop.over').count());
	await page.dispatchEvent('.drop', 'drop', {dataTransfer: transfer});
	await page.getByRole('heading', {name: 'mulți clienți.csv'}).waitFor();
	await looksRight(page);
	await shot(page, 'lists-chosen-phone');
	await send(page, begin, job(page, 'mulți clienți.csv'));
	await shows(page, /1 din 2 rânduri · 1 rând se reîncearcă la \d/);
	const bar = page.getByRole('progressbar', {name: 'mulți clienți.csv'});
	assert.deepEqual(await bar.evaluate(({value, max}) => [value, max]), [1, 2]);
	await looksRight(page);
	await shot(page, 'lists-progress');
	const stop = page.getByRole('button', {name: 'Anulați: mulți clienți.csv'});
	await stop.focus();
	await page.waitForResponse('**/v1/jobs');
	await page.waitForResponse('**/v1/jobs');
	assert.ok(await stop.evaluate((button) => button === document.activeElement), 'the focus stays while the progress goes on');
	await page.keyboard.press('Enter');
	await page.getByRole('dialog').getByRole('button', {name: 'Anulați'}).click();
	await job(page, 'mulți clienți.csv').getByText('anulată').waitFor();
	const {content} = await download(page, 'Descărcați CSV: mulți clienți.csv');
	assert.match(content.toString(), /\n9900000010,200,,\d{4}-\d\d-\d\d,EXEMPLU TRANSILVAN/);
}));

test('a failed list says why', () => withPage({expected: [401]}, async (page) => {
	await signUp(page, {at: '/dashboard/sign-up', goal: page.locator('#key-list h3')});
	await page.route('**/v1/jobs', (route) => route.fulfill({json: [{
		id: '01a20687-40e0-7551-bb2e-a0b1a3896b10', status: 'failed', total: 3, done: 1, found: 1, notFound: 0, invalid: 0, failed: 0, creditsReserved: 0, creditsCost: 1, etaSeconds: null, column: 'CUI',
		createdAt: '2026-11-23T03:50:56Z', completedAt: '2026-11-23T03:51:56Z', expiresAt: '2026-11-30T03:51:56Z',
		problem: {type: `${base}/problems/quota-exhausted`, title: 'Credits used up', status: 402, detail: 'The credits of the month were used up by other calls.'},
	}]}));
	await page.getByRole('link', {name: 'Lists', exact: true}).click();
	await shows(page, 'List with the column CUI');
	await shows(page, 'The plan\'s credits for this calendar month (UTC) are used up.');
	await looksRight(page);
}));
