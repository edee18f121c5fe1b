// The rows of a checked list. No browser is needed.

import assert from 'node:assert/strict';
import test from 'node:test';

import {inLanguage} from './modules.mjs';

const {verdictRow, written} = await inLanguage('ro', 'verdicts.js', 'dom.js', 'wrong.js');
const judged = (outcome, ...reasons) => verdictRow(0, '9900000096', {status: 200, company: {verdict: {outcome, reasons}}});

test('a company that is insolvent today is marked on a past day', () => {
	assert.equal(judged('clear').level, 'clear');
	assert.equal(judged('clear', 'insolvent_today').level, 'attention');
	assert.equal(judged('stop', 'inactive', 'insolvent_today').level, 'problem');
});

test('a wrong number says what is wrong', () => {
	const said = (input) => verdictRow(5, input, {status: 400}).texts[0];
	assert.equal(said('RO 9900000011'), 'Un CUI care începe cu 990000001 se termină cu 0.');
	assert.equal(said('1234567890123'), '13 cifre are un CNP, nu un CUI');
	assert.equal(said('99000000101'), 'număr de cifre: 11; un CUI are între 2 și 10');
	assert.match(said('EXEMPLU'), /^nu este un număr/);
	assert.match(said('9900000010'), /^data nu este valabilă/);
});

test('a cell of dashes is blank', () => {
	for (const cell of [null, ' ', '-', '–', ' — ', '−−']) assert.equal(verdictRow(5, written(cell), {status: 400}).level, 'blank');
	assert.equal(written(' RO-1 '), 'RO-1');
});
