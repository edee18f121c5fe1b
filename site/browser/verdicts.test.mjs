// The rows of a checked list. No browser is needed.

import assert from 'node:assert/strict';
import test from 'node:test';

import {inLanguage} from './modules.mjs';

const {verdictRow, taxIDIn} = await inLanguage('ro', 'verdicts.js', 'dom.js', 'wrong.js');
const judged = (outcome, ...reasons) => verdictRow(0, '9900000096', {status: 200, company: {verdict: {outcome, reasons}}});

test('a company that is insolvent today is marked on a past day', () => {
	assert.equal(judged('clear').level, 'clear');
	assert.equal(judged('clear', 'insolvent_today').level, 'attention');
	assert.equal(judged('stop', 'inactive', 'insolvent_today').level, 'problem');
});

test('a refused row says what is wrong', () => {
	const said = (parameter, code) => verdictRow(5, 'EXEMPLU', {status: 400, problem: {errors: [{parameter, code}]}}).texts[0];
	assert.match(said('taxId', 'check_digit'), /cifra de control nu corespunde/);
	assert.match(said('taxId', 'invalid_format'), /nu este un CUI de 2 până la 10 cifre.*13 cifre are un CNP/);
	assert.match(said('date', 'out_of_range'), /^Data/);
});

test('a cell of dashes is blank', () => {
	for (const cell of [null, ' ', '-', '–', ' — ', '−−']) assert.equal(verdictRow(5, taxIDIn(cell), {status: 400}).level, 'blank');
	assert.equal(taxIDIn(' RO-1 '), 'RO-1');
});
