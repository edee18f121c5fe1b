// The verdict on a profile, for every combination of what can be known, unknown, bad
// or out of date of each fact, in both languages. It needs no browser: text.js runs
// with the sentences of text.json and a page that says nothing but its language.

import assert from 'node:assert/strict';
import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import test from 'node:test';
import {pathToFileURL} from 'node:url';

import {modules} from './modules.mjs';

process.env.TZ = 'Europe/Bucharest';
const here = new URL('../', import.meta.url);
const sentences = JSON.parse(await readFile(new URL('text.json', here)));
const folder = await modules('text.js', 'verdict.js');
const load = (file, search = '') => import(pathToFileURL(join(folder, file)).href + search);

const remembered = (write) => {
	const known = new Map();
	return (text, options) => known.get(text) ?? known.set(text, write(text, options)).get(text);
};
const spoken = {};
for (const [i, lang] of ['en', 'ro'].entries()) {
	const own = Object.fromEntries(Object.entries(sentences).map(([key, texts]) => [key, texts[i]]));
	await writeFile(join(folder, `text.${lang}.js`), `export default ${JSON.stringify(own)}`);
	globalThis.document = {documentElement: {lang}};
	const {t, day, time} = await load('text.js', `?${lang}`); // a copy for each language
	spoken[lang] = {t, day: remembered(day), time: remembered(time)}; // making formatters is what takes the time
}
const {stateOf, verdict} = await load('verdict.js');

const now = Date.parse('2026-11-22T12:00:00Z');
const asked = {name: 'anaf', retrievedAt: '2026-11-22T10:00:00Z', asOf: '2026-11-22', cache: 'HIT', stale: false};
const loaded = {name: 'onrc', retrievedAt: '2026-11-20T04:00:00Z', asOf: '2026-10-02', cache: 'HIT', stale: false};

// What can be the case of each fact: what the profile then has, and what is to be
// said of it. A text is looked for in what is shown.
const authorities = {
	asked: {source: asked},
	'asked a while ago': {source: {...asked, retrievedAt: '2026-11-19T10:00:00Z', stale: true}, stale: true},
	'not to be asked': {source: {...asked, retrievedAt: null, asOf: null}, silent: true, notice: {en: 'could not be asked', ro: 'Nu s-au putut obține date de la ANAF'}},
	'without the number': {source: asked, silent: true, notice: {en: 'does not know this number', ro: 'nu figurează în evidența ANAF'}},
};
const trade = {
	loaded: {source: loaded},
	'of a year ago': {source: {...loaded, asOf: '2025-11-02'}, stale: true},
	absent: {source: null, absent: true, notice: {en: 'not loaded yet, or does not list it', ro: 'fie nu au fost încă încărcate'}},
};
const bad = ['suspended', 'dissolved', 'in_liquidation', 'in_reorganization', 'insolvent', 'bankrupt', 'struck_off'];
const states = {
	in_operation: {kind: 'good'}, unknown: {kind: 'unknown'}, 'not of the list': {kind: 'unknown'},
	...Object.fromEntries(bad.map((state) => [state, {kind: 'bad'}])),
};
const ends = {
	'none told': {value: {told: 'INREGISTRAT din data 05.03.2012', struckOffOn: null}},
	'a day of striking off': {value: {told: 'INREGISTRAT din data 05.03.2012', struckOffOn: '2026-11-20'}, bad: true},
	'told in words': {value: {told: 'RADIERE din data 20.11.2026', struckOffOn: null}, bad: true},
};
const inactive = {
	no: {value: {status: false, since: null}, kind: 'good'},
	yes: {value: {status: true, since: '2024-02-01'}, kind: 'bad', text: {en: 'Fiscally inactive since 1 Feb 2024', ro: 'Inactivă fiscal din 1 feb. 2024'}},
	unknown: {value: null, kind: 'unknown', text: {en: 'Inactive: unknown', ro: 'Inactivitate fiscală: necunoscută'}},
};
const ended = {from: '2012-04-04', to: '2020-03-01', canceledOn: '2020-03-03', reason: null};
const vat = {
	paying: {value: {vatPayer: true, vatSince: '2012-04-04', vatPeriods: [{...ended, to: null, canceledOn: null}]}, kind: 'good', text: {en: 'Registered for VAT since 4 Apr 2012', ro: 'Plătitoare de TVA din 4 apr. 2012'}},
	never: {value: {vatPayer: false, vatSince: null, vatPeriods: []}, kind: 'neutral', text: {en: 'Not registered for VAT', ro: 'Neplătitoare de TVA'}},
	cancelled: {value: {vatPayer: false, vatSince: null, vatPeriods: [ended]}, kind: 'bad', text: {en: 'VAT registration cancelled on 3 Mar 2020', ro: 'Cod de TVA anulat la 3 mar. 2020'}},
	unknown: {value: {vatPayer: null, vatSince: null, vatPeriods: null}, kind: 'unknown', text: {en: 'VAT: unknown', ro: 'TVA: necunoscut'}},
};
const eInvoice = {
	yes: {value: {registered: true, since: '2022-07-01'}, kind: 'good'}, no: {value: {registered: false, since: null}, kind: 'neutral'},
	unknown: {value: null, kind: 'unknown', text: {en: 'e-Factura: unknown', ro: 'e-Factura: necunoscut'}},
};
const onCollection = {
	yes: {value: true, kind: 'neutral'}, no: {value: false},
	unknown: {value: null, kind: 'unknown', text: {en: 'VAT on collection: unknown', ro: 'TVA la încasare: necunoscut'}},
};

// combinations are all ways to pick a case of each.
function* combinations(choices) {
	const [first, ...rest] = choices;
	if (!first) return yield [];
	for (const one of Object.entries(first)) for (const others of combinations(rest)) yield [one, ...others];
}

function profileOf([, authority], [, release], [state], [, end], [, idle], [, taxed], [, invoiced], [, collects]) {
	const sources = [authority.source, release.source].filter(Boolean);
	const tax = {
		registrationStatus: end.value.told, inactive: idle.value && {...idle.value, struckOffOn: end.value.struckOffOn}, ...taxed.value, eInvoice: invoiced.value, vatOnCollection: collects.value,
	};
	if (authority.silent) for (const name of Object.keys(tax)) tax[name] = null;
	return {taxId: 9900000010, name: 'EXEMPLU S.R.L.', stateRegistration: state, ...tax, sources};
}

const choices = [authorities, trade, states, ends, inactive, vat, eInvoice, onCollection];

for (const lang of ['en', 'ro']) {
	test(`every combination is told as it is: ${lang}`, () => {
		const words = spoken[lang];
		let walked = 0, green = 0;
		for (const picked of combinations(choices)) {
			const [[, authority], [, release], [state, judged], [, end], [, idle], [, taxed], [, invoiced], [, collects]] = picked;
			const profile = profileOf(...picked), {badges, notices} = verdict(profile, words, now);
			const how = () => `${picked.map(([name]) => name).join(' | ')}: ${JSON.stringify({badges, notices})}`;
			const kinds = badges.map(({kind}) => kind), of = (fact) => badges.find((badge) => badge.fact === fact);
			const check = (ok, promise) => { if (!ok) assert.fail(`${promise}: ${how()}`); };
			walked++;

			// Each fact is there, of its kind, and in words.
			const fromTax = (fact) => authority.silent ? {...fact, kind: 'unknown', text: undefined} : fact;
			for (const [fact, wanted] of Object.entries({state: judged, inactive: fromTax(idle), vat: fromTax(taxed), eInvoice: fromTax(invoiced), vatOnCollection: fromTax(collects)})) {
				const badge = of(fact);
				if (!wanted.kind) { check(!badge, `${fact} needs no badge`); continue; }
				check(badge, `${fact} has a badge`);
				check(badge.kind === wanted.kind || wanted.kind === 'good' && badge.kind === 'neutral', `${fact} is ${wanted.kind}`);
				if (wanted.text) check(badge.text.startsWith(wanted.text[lang]), `${fact} says ${wanted.text[lang]}`);
				if (wanted.kind === 'unknown') check(/unknown$|necunoscută?$/.test(badge.text), `${fact} says that it is unknown`);
			}
			const told = !authority.silent && (end.value.told.startsWith('RADIERE') || end.value.struckOffOn && idle.value);
			check(Boolean(of('ended')) === Boolean(told && judged.kind !== 'bad'), 'an end that one register knows is told');
			check(Boolean(of('insolvency')) === Boolean(release.absent && !(judged.kind === 'bad')), 'insolvency is unknown without the trade register');

			// Bad comes first, then unknown, then the rest.
			const ranks = kinds.map((kind) => ['bad', 'unknown', 'good', 'neutral'].indexOf(kind));
			check(ranks.every((rank, i) => i === 0 || ranks[i - 1] <= rank) && !ranks.includes(-1), 'the order is that of what matters');

			// Green only where nothing is bad, unknown or out of date.
			const stale = authority.stale || release.stale;
			const clean = !kinds.includes('bad') && !kinds.includes('unknown') && !stale;
			check(clean === kinds.includes('good'), 'green is for what is known to be well');
			if (clean) green++;

			// A register that left something open is named, with what is open; and so is
			// one that is out of date, with the time.
			const openAt = (name) => notices.find(({register, kind}) => register === name && kind === 'unknown');
			if (authority.silent) check(openAt('anaf')?.text.includes(authority.notice[lang]) && openAt('anaf').text.includes('ANAF'), 'the tax authority is named');
			if (authority.silent) check(openAt('anaf').text.includes({en: 'VAT registration', ro: 'scopuri de TVA'}[lang]), 'it is said what is not known');
			if (of('insolvency')) check(openAt('onrc')?.text.includes(release.notice[lang]), 'the trade register is named');
			check(kinds.includes('unknown') === notices.some(({kind}) => kind === 'unknown'), 'whatever is unknown has a notice');
			for (const [name, register, moment] of [['anaf', authority, {en: '19 Nov 2026, 12:00', ro: '19 nov. 2026, 12:00'}], ['onrc', release, {en: '2 Nov 2025', ro: '2 nov. 2025'}]]) {
				const notice = notices.find((one) => one.register === name && one.kind === 'stale');
				check(Boolean(notice) === Boolean(register.stale), `${name}: age is told when it matters`);
				if (!notice) continue;
				check(notice.text.includes(moment[lang]), `${name}: the notice has the time`);
				if (name === 'anaf') check(/12:00 (EET|GMT\+2)/.test(notice.text), 'a time has its zone');
				const aged = name === 'onrc' ? [of('state')] : [of('inactive'), of('vat'), of('eInvoice')];
				for (const badge of aged) check(badge.kind === 'unknown' || badge.text.includes(moment[lang]), `${badge.fact}: the badge has the time`);
			}
			const shown = [...badges, ...notices].map(({text}) => text).join(' ');
			check(!/\{\w+\}|undefined|null|NaN|\b(verdict|company|state|notice|open|registry)\.\w/.test(shown), 'every sentence is there, and filled in');
		}
		assert.equal(walked, 4 * 3 * 10 * 3 * 3 * 4 * 3 * 3);
		assert.ok(green > 0);
	});
}

test('a row of a search is never good: nobody has looked at taxes', () => {
	for (const [state, {kind}] of Object.entries(states)) assert.equal(stateOf(state, spoken.en).kind, kind === 'good' ? 'neutral' : kind, state);
	assert.equal(stateOf(undefined, spoken.en).kind, 'unknown');
});

test('a profile that says nothing of its sources is not good', () => {
	const {badges, notices} = verdict({taxId: 9900000010, name: 'EXEMPLU S.R.L.', stateRegistration: 'in_operation', vatPayer: true}, spoken.en, now);
	assert.ok(badges.every(({kind}) => kind !== 'good'));
	assert.match(notices.map(({text}) => text).join(' '), /ANAF \(tax authority\) could not be asked/);
});
