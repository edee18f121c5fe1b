// The preview of a table, without a browser.

import assert from 'node:assert/strict';
import {join} from 'node:path';
import test from 'node:test';

import {modules} from './modules.mjs';

const {preview} = await import(join(await modules('table.js'), 'table.js'));
const of = (text, all) => preview(new TextEncoder().encode(text), all);

const tables = {
	'semicolons and a name in Romanian': ['Furnizor;Cod fiscal;Sumă\nAlfa;RO9900000010;12,50\n', 1],
	'commas, and quotation marks around one': ['name,CUI\n"Alfa, S.R.L.",9900000010\n', 1],
	'tabs': ['Tax ID\tName\n9900000010\tAlfa\n', 0],
	'a bar, in lines of Windows': ['nume|C.U.I.\r\nAlfa|9900000010\r\n', 1],
	'the line that tells Excel the delimiter': ['sep=;\nnume;cif\nAlfa;9900000010\n', 1],
	'a weak name beside a strong one': ['vat,cui\n19,9900000010\n', 1],
	'a weak name alone': ['name,VAT\nAlfa,RO9900000010\n', 1],
	'none': ['a,b\n1,2\n', -1],
	'two': ['cui,cif\n1,2\n', -1],
	'a title above': ['Furnizori\n\nFurnizor;CUI\nAlfa;9900000010\n', -1],
	'one column without a name': ['9900000010\n9900000029\n', 0],
};
for (const [name, [text, taxId]] of Object.entries(tables)) {
	test(`the column of tax ids: ${name}`, () => assert.equal(of(text).taxId, taxId));
}

test('cells keep what quotation marks enclose, and empty rows are left out', () => {
	assert.deepEqual(of('cui,note\n1,"a ""b"",\nc"\n\n2,\n'), {columns: ['cui', 'note'], rows: [['1', 'a "b",\nc'], ['2', '']], taxId: 0});
	assert.deepEqual(of('9900000010\n9900000029').rows, [['9900000010'], ['9900000029']]);
	assert.deepEqual(of('cui\n9900000010'), {columns: ['cui'], rows: [['9900000010']], taxId: 0});
	assert.deepEqual(of(''), {columns: [], rows: [], taxId: -1});
});

test('a title is a row of the table below it', () => assert.deepEqual(of('CUI\na;b\n1;2\n'), {columns: ['', ''], rows: [['CUI'], ['a', 'b'], ['1', '2']], taxId: -1}));

test('a truncated row is left out', () => assert.deepEqual(of('cui,name\n1,Alfa\n2,Be', false).rows, [['1', 'Alfa']]));

test('encodings: UTF-8 with and without its mark, UTF-16 and Windows-1250', () => {
	const text = 'cui,Țară\n1,Mureș\n';
	const wide = (little) => new Uint8Array([...`\uFEFF${text}`].flatMap((c) => [c.charCodeAt(0) & 255, c.charCodeAt(0) >> 8]).flatMap((_, i, all) => i % 2 ? [] : little ? [all[i], all[i + 1]] : [all[i + 1], all[i]]));
	const encoded = {'UTF-8': new TextEncoder().encode(text), 'UTF-8 with a mark': new TextEncoder().encode(`\uFEFF${text}`), 'UTF-16LE': wide(true), 'UTF-16BE': wide(false)};
	for (const [name, bytes] of Object.entries(encoded)) assert.deepEqual(preview(bytes), {columns: ['cui', 'Țară'], rows: [['1', 'Mureș']], taxId: 0}, name);
	// Windows-1250 has only the cedilla forms, ţ and ş.
	assert.deepEqual(preview(Uint8Array.from([...'cui,\u00feara\n1,Mure\u00ba\n'].map((c) => c.charCodeAt(0)))), {columns: ['cui', 'ţara'], rows: [['1', 'Mureş']], taxId: 0});
	assert.deepEqual(preview(new TextEncoder().encode('cui\n1\nț').slice(0, -1), false).rows, [['1']], 'half a character at the end');
});
