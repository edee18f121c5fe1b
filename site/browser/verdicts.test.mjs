// The rows of a checked list. No browser is needed.

import assert from 'node:assert/strict';
import test from 'node:test';

import {inLanguage} from './modules.mjs';

const {verdictRow} = await inLanguage('ro', 'verdicts.js', 'dom.js', 'wrong.js');
const judged = (outcome, ...reasons) => verdictRow(0, '9900000096', {status: 200, company: {verdict: {outcome, reasons}}});

test('a company that is insolvent today is marked on a past day', () => {
	assert.equal(judged('clear').level, 'clear');
	assert.equal(judged('clear', 'insolvent_today').level, 'attention');
	assert.equal(judged('stop', 'inactive', 'insolvent_today').level, 'problem');
});
