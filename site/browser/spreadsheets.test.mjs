// The guide for spreadsheets: the Apps Script function runs with stand-ins for Google's services, the formulas are sent as
// WEBSERVICE sends them, and Microsoft's own parser reads the Power Query function, whose request is sent as well.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import test from 'node:test';
import vm from 'node:vm';

const base = process.env.RODATA_ADDRESS;
const guide = (await readFile(new URL('../guides/spreadsheets.md', import.meta.url), 'utf8')).replaceAll('http://127.0.0.1:8080', base);
const blocks = (kind) => [...guide.matchAll(new RegExp(`\`\`\`${kind}\n(.*?)\`\`\``, 'gs'))].map(([, text]) => text);

// sheet runs the script with synchronous fetches, as Google does, and records its requests and sleeps.
function sheet({key = null, answers = []} = {}) {
	const sent = [], slept = [];
	const context = vm.createContext({
		UrlFetchApp: {fetch(url, {method, contentType, headers, payload}) {
			sent.push({headers: {...headers}, body: JSON.parse(payload)});
			return answers.length ? response(answers.shift()) : curl(url, method.toUpperCase(), {...headers, 'Content-Type': contentType}, payload);
		}},
		PropertiesService: {getScriptProperties: () => ({getProperty: (name) => name === 'RODATA_KEY' ? key : null})},
		SpreadsheetApp: {getActive: () => ({getSpreadsheetTimeZone: () => 'Europe/Bucharest'})},
		Utilities: {
			sleep: (milliseconds) => slept.push(milliseconds),
			formatDate: (day, timeZone) => new Intl.DateTimeFormat('sv-SE', {timeZone}).format(day),
		},
		Date, // cells have dates of this realm
	});
	vm.runInContext(blocks('javascript')[0], context);
	// Converted through JSON: arrays of another realm do not compare as equal.
	return {RODATA: (...args) => JSON.parse(JSON.stringify(context.RODATA(...args.map((one) => revived(context, one))))), sent, slept};
}

// revived recreates the arrays of a range in the script's realm, where Google creates them.
const revived = (context, value) => Array.isArray(value) ? vm.runInContext('(...items) => items', context)(...value.map((one) => revived(context, one))) : value;

const response = ({status, headers = {}, body}) => ({getResponseCode: () => status, getHeaders: () => headers, getContentText: () => JSON.stringify(body)});

// curl sends a request and waits for the answer. All walks share one address, and so one rate limit.
function curl(url, method, headers, payload) {
	const named = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
	for (;;) {
		const text = execFileSync('curl', ['--silent', '--write-out', '\n%{http_code}', '-X', method, ...named, '--data', payload, url], {encoding: 'utf8'});
		const end = text.lastIndexOf('\n'), status = Number(text.slice(end + 1));
		if (status !== 429) return response({status, body: JSON.parse(text.slice(0, end))});
		execFileSync('sleep', ['1']);
	}
}

test('Apps Script: a range is one request, with a row for each cell', () => {
	const {RODATA, sent} = sheet();
	const range = [['9900000010'], [''], ['RO9900000029'], [9900009990], ['no number']];
	const rows = RODATA(range, 'name, vatPayer');
	assert.equal(sent.length, 1);
	assert.deepEqual(sent[0].body.items.map(({taxId}) => taxId), ['9900000010', 'RO9900000029', 9900009990, 'no number']);
	assert.deepEqual(sent[0].headers, {});
	assert.deepEqual(rows[0], ['EXEMPLU TRANSILVAN S.R.L.', true]);
	assert.deepEqual(rows[1], ['', '']);
	assert.equal(typeof rows[2][1], 'boolean');
	assert.match(rows[3][0], /^404: /);
	assert.match(rows[4][0], /^400: /);
	assert.deepEqual(rows.map((row) => row.length), [2, 2, 2, 2, 2], 'the answer is a rectangle');
});

test('Apps Script: one cell, a day for all, and a day for each row', () => {
	const {RODATA, sent} = sheet();
	assert.deepEqual(RODATA(9900000134, 'vatPayer', '2020-01-15'), [[true]]);
	assert.deepEqual(RODATA([[9900000134], [9900000134]], 'vatPayer', [['2020-01-15'], [new Date('2026-01-14T22:00:00Z')]])[0], [true]);
	assert.deepEqual(sent.flatMap(({body}) => body.items.map(({date}) => date)), ['2020-01-15', '2020-01-15', '2026-01-15']);
	assert.deepEqual(RODATA('9900000010'), [['EXEMPLU TRANSILVAN S.R.L.']]);
	assert.equal('date' in sent.at(-1).body.items[0], false);
});

test('Apps Script: an unknown value is never no, and a list is shown whole', () => {
	const company = {vatPayer: null, inactive: null, vatPeriods: [{from: '2012-04-04', to: null}, {from: null, to: null}]};
	const {RODATA} = sheet({answers: [{status: 200, body: {items: [{status: 200, company}]}}]});
	assert.deepEqual(RODATA('9900000010', 'vatPayer,inactive.status,vatPeriods.from'), [['unknown', 'unknown', '["2012-04-04",null]']]);
});

test('Apps Script: a key goes into a header, with 1,000 companies a request', () => {
	const items = (n) => ({status: 200, body: {items: Array(n).fill({status: 404, problem: {detail: 'no'}})}});
	const {RODATA, sent} = sheet({key: 'rodata_live_key', answers: [items(1000), items(1)]});
	assert.equal(RODATA(Array.from({length: 1001}, (_, i) => [i + 1])).length, 1001);
	assert.deepEqual(sent.map(({body}) => body.items.length), [1000, 1]);
	assert.deepEqual(sent[0].headers, {'x-api-key': 'rodata_live_key'});
	const plain = sheet({answers: [items(100), items(1)]});
	plain.RODATA(Array.from({length: 101}, (_, i) => [i + 1]));
	assert.deepEqual(plain.sent.map(({body}) => body.items.length), [100, 1]);
});

test('Apps Script: it obeys Retry-After and reports errors', () => {
	const limited = {status: 429, headers: {'Retry-After': '2'}, body: {detail: 'too many'}};
	const patient = sheet({answers: [limited, {status: 200, body: {items: [{status: 200, company: {name: 'EXEMPLU'}}]}}]});
	assert.deepEqual(patient.RODATA('9900000010'), [['EXEMPLU']]);
	assert.deepEqual(patient.slept, [2000]);
	assert.throws(() => sheet({answers: [{...limited, headers: {'Retry-After': '3600'}}]}).RODATA('9900000010'), /too many/);
	assert.throws(() => sheet({answers: Array(4).fill(limited)}).RODATA('9900000010'), /too many/);
	assert.throws(() => sheet().RODATA('9900000010', 'vatPayr'), /vatPayer/);
});

test('formulas get a bare value', async () => {
	const formulas = [...blocks('excel')[0].matchAll(/^=WEBSERVICE\("([^"]+)" & A2 & "([^"]+)"\)$/gm)];
	const values = [];
	for (const [, before, after] of formulas) {
		const response = await patiently(() => fetch(`${before}9900000010${after}`));
		assert.equal(response.headers.get('Content-Type'), 'text/plain; charset=utf-8');
		values.push(await response.text());
	}
	assert.deepEqual(values, ['EXEMPLU TRANSILVAN S.R.L.', 'true']);
});

test('IMPORTDATA gets a table', async () => {
	const [, before, after] = guide.match(/=IMPORTDATA\("([^"]+)" & TEXTJOIN\(.*?\) & "([^"]+)"\)/);
	const response = await patiently(() => fetch(`${before}9900000010,9900000029${after}`));
	assert.equal(response.headers.get('Content-Type'), 'text/csv; charset=utf-8');
	const [columns, first, second] = (await response.text()).split('\r\n');
	assert.match(columns, /,name,vatPayer,asOf$/);
	assert.match(first, /^9900000010,.*,EXEMPLU TRANSILVAN S\.R\.L\.,true,\d{4}-\d\d-\d\d$/);
	assert.match(second, /^9900000029,/);
});

test('Power Query: the texts parse, and the request gives the table', async () => {
	const parser = createRequire(join(process.env.RODATA_TOOLS, 'package.json'))('@microsoft/powerquery-parser');
	const texts = blocks('powerquery');
	assert.equal(texts.length, 2);
	for (const text of texts) {
		const {taskKind, resultKind, error} = await parser.TaskUtils.tryLexParse(parser.DefaultSettings, text);
		assert.equal(resultKind, 'Ok', `${taskKind}: ${error?.message}\n${text}`);
	}
	assert.equal((await parser.TaskUtils.tryLexParse(parser.DefaultSettings, texts[0].replace('in\n', '\n'))).resultKind, 'Error', 'the parser finds mistakes');

	// The request that the function describes.
	const [, path] = texts[0].match(/RelativePath = "([^"]+)"/), [, fields] = texts[0].match(/then \{(.*?)\}/);
	const response = await patiently(() => fetch(`${base}/${path}`, {
		method: 'POST', headers: {'Content-Type': 'application/json', Accept: 'text/csv'},
		body: JSON.stringify({taxIds: ['9900000010', 'RO9900000029'], fields: JSON.parse(`[${fields}]`)}),
	}));
	const [columns, first] = (await response.text()).split('\r\n');
	assert.equal(columns, 'input,reference,status,problem,name,vatPayer,stateRegistration,seat.city,asOf');
	assert.match(first, /^9900000010,,200,,EXEMPLU TRANSILVAN S\.R\.L\.,true,in_operation,Cluj-Napoca,\d{4}-\d\d-\d\d$/);
});

// patiently repeats a request after a 429: all walks share one address, and so one rate limit.
async function patiently(send) {
	for (;;) {
		const response = await send();
		if (response.status !== 429) return response;
		await new Promise((resume) => setTimeout(resume, 1000 * response.headers.get('Retry-After')));
	}
}
