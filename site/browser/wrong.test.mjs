// Scripts explain problems in the site's own sentences. No browser is needed.

import assert from 'node:assert/strict';
import test from 'node:test';

import {inLanguage, languages, texts} from './modules.mjs';

const english = {detail: 'words of the API; list_watchlists lists them', title: 'words of the API', message: 'words of the API'};
const invalid = (errors) => ({...english, type: 'https://rodata.example/problems/invalid-request', code: 'invalid-request', errors: errors.map((e) => ({accepted: 'words of the API', ...e}))});

const scripts = {en: await inLanguage('en', 'wrong.js'), ro: await inLanguage('ro', 'wrong.js')};

for (const lang of languages) {
	const {explain} = scripts[lang];
	test(`no words of the API are shown in ${lang}`, () => {
		const kinds = Object.keys(texts).filter((key) => key.startsWith('kind.')).map((key) => key.slice('kind.'.length));
		const codes = Object.keys(texts).filter((key) => /^code\.\w+$/.test(key)).map((key) => key.slice('code.'.length));
		const parameters = ['file', 'csv', 'url', 'name', 'date', 'plan', 'taxId', 'unheard_of', ''];
		const problems = [
			...kinds.map((kind) => ({...english, type: `https://rodata.example/problems/${kind}`, code: kind})),
			...codes.flatMap((code) => parameters.map((parameter) => invalid([{code, parameter}]))),
			invalid([{code: 'unheard_of', parameter: 'file'}]), {...english, code: 'UNHEARD_OF'}, {},
		];
		for (const problem of problems) {
			const said = explain(problem);
			assert.ok(said && !/words of the API|undefined|[{}]/.test(said), `${JSON.stringify(problem)}: ${said}`);
		}
	});
	test(`a file, an input of the page and a code of accounts in ${lang}`, () => {
		const [en, ro] = [0, 1].map((i) => texts['input.conflict.file'][i]);
		assert.equal(explain(invalid([{code: 'conflict', parameter: 'file'}])).toLowerCase(), (lang === 'en' ? en : ro).toLowerCase());
		const day = explain(invalid([{code: 'out_of_range', parameter: 'date'}]), '', {date: 'fixingDate'});
		assert.match(day, lang === 'en' ? /Accepted: a day from 3 January 2005/ : /Se acceptă: o zi de la 3 ianuarie 2005/);
		assert.match(explain(invalid([{code: 'malformed', parameter: 'file', row: 14, column: 'data'}])), lang === 'en' ? /See row 14, column “data”\.$/ : /Vedeți rândul 14, coloana „data”\.$/);
		assert.match(explain(invalid([{code: 'too_long', parameter: 'file', column: '2'}])), lang === 'en' ? /See column “2”\.$/ : /Vedeți coloana „2”\.$/);
		assert.match(explain(invalid([{code: 'too_many', parameter: 'file', row: 200002}])), lang === 'en' ? /See row 200002\.$/ : /Vedeți rândul 200002\.$/);
		assert.equal(explain({...english, code: 'INVALID_PASSWORD'}), lang === 'en' ? 'The password is wrong.' : 'Parola este greșită.');
	});
}
