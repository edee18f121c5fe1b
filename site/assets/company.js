// A company's profile, drawn for people.

import {ask} from './api.js';
import {bars} from './chart.js';
import {fact, facts, h, table} from './dom.js';
import {historyCard} from './history.js';
import {origin} from './origin.js';
import {spoken} from './page.js';
import {registersCard} from './registers.js';
import * as words from './text.js';
import {given, stateOf, verdict} from './verdict.js';

const {day, nameOf, number, t} = words;

// badge is one of a verdict's. Its kind is told by a sign beside the colour, and
// what matters is in the words.
const badge = ({fact, kind, text}) => h('span', {class: `badge ${kind}`, 'data-fact': fact}, text);

export const stateBadge = (state) => badge(stateOf(state, words));

// cuiNote says by which number a company is found, or that the register lists none.
export const cuiNote = (company) => company.taxId ? `CUI ${company.taxId}` : t('company.noCui');

// showCompany asks for a profile and gives its cards, the request and the answer. Of another day it asks in a card of its
// own, at once if days are wanted, and hands beside the request with its answer.
export async function showCompany(cui, days, beside, signal) {
	const request = {path: `/v1/companies/${encodeURIComponent(cui)}`, query: {}, tool: 'get_company', args: {cui}};
	const answer = await ask(request.path, {signal});
	const {badges, notices} = verdict(answer.data, words);
	const sheets = h('div', {class: 'card', 'aria-live': 'polite'}, h('p', {class: 'hint spin'}, t('sheets.loading')));
	showSheets(sheets, request.path, signal);
	return {
		cards: [warning(notices), profile(answer.data, badges), historyCard(cui, days, beside, signal), registersCard(request.path, signal), sheets].filter(Boolean), request, answer,
		said: [answer.data.name, ...badges, ...notices].map((one) => one.text ?? one).join('. '),
	};
}

// warning stands above everything: what is not known, and what may have changed.
function warning(notices) {
	return notices.length ? h('div', {class: 'notice', 'data-notice': notices.map(({kind}) => kind).join(' ')}, notices.map(({text}) => h('p', {}, text))) : null;
}

function profile(company, badges) {
	// row is a fact that is there in any case: without a value it says whether that
	// is since a register could not tell, or since it has none.
	const row = (name, value, registers, kind) => fact(name, value || h('span', {class: 'missing'}, given(company, ...registers) ? t('fact.none') : t('fact.unknown')), kind);
	const both = ['anaf', 'onrc'];
	return h('article', {class: 'card'},
		h('h2', {}, company.name),
		h('p', {class: 'badges'}, badges.map(badge)),
		facts(
			fact(t('company.cui'), company.vatPayer ? `RO ${company.taxId}` : `${company.taxId}`),
			row(t('company.tradeNumber'), company.tradeNumber, both),
			row(t('company.registered'), company.registrationDate && day(company.registrationDate), both),
			row(t('company.address'), [company.address, company.postalCode].filter(Boolean).join(', '), both, 'full'),
			row(t('company.caen'), company.mainNaceCode && activity(company.mainNaceCode), both),
			row(t('company.legalForm'), company.legalForm ?? company.companyType, both),
			row(t('company.taxStatus'), company.registrationStatus, ['anaf']),
			row(t('company.fiscalAuthority'), company.fiscalAuthority, ['anaf']),
			row(t('company.phone'), company.phone, ['anaf']), row(t('company.website'), company.website, ['onrc']),
			row(t('company.euid'), company.euid, ['onrc'])),
		origins(company));
}

// activity is a link to a CAEN code, with its name as soon as that is there. One of
// Rev.2 stays a code.
function activity(code) {
	const link = h('a', {href: `/?q=CAEN+${code}`}, code);
	ask(`/v1/caen-codes/${encodeURIComponent(code)}`).then(({data}) => { link.textContent = `${code} · ${nameOf(data)}`; }, () => {});
	return link;
}

// origins says where an answer comes from, and of when it is.
function origins(company) {
	return h('ul', {class: 'origins'}, ['anaf', 'onrc'].map((name) => {
		const source = company.sources?.find((one) => one.name === name);
		const absent = !source && name === 'onrc' ? 'source.none' : 'source.failed';
		return origin(name, source, absent);
	}));
}

// showSheets fills a card with the balance sheets when they are there.
async function showSheets(card, path, signal) {
	try {
		const {data} = await ask(path, {query: {include: 'balanceSheets'}, signal});
		const missing = data.sources?.find((source) => source.name === 'anaf-bilant')?.missingYears ?? [];
		card.replaceChildren(...balance(data.balanceSheets, missing));
	} catch (problem) {
		if (problem.name !== 'AbortError') card.replaceChildren(h('h3', {}, t('sheets.heading')), spoken(problem, () => showSheets(card, path, signal)));
	}
}

// balance shows the sheets that there are. None at all is told apart from none yet.
function balance(newestFirst, missing) {
	const sheets = newestFirst?.toReversed() ?? [];
	const waiting = missing.length ? h('p', {class: 'notice'}, t('sheets.missing', {years: missing.join(', ')})) : null;
	if (!sheets.length) return [h('h3', {}, t('sheets.heading')), waiting ?? h('p', {class: 'hint'}, newestFirst ? t('sheets.none') : t('sheets.unknown'))];
	const amount = (value) => value === null || value === undefined ? '–' : number(value);
	const groups = sheets.map((sheet) => ({label: `${sheet.year}`, bars: [{value: sheet.turnover, kind: ''}, {value: sheet.netResult, kind: 'second'}]}));
	const first = sheets[0].year, last = sheets.at(-1).year;
	return [
		h('h3', {}, t('sheets.heading')),
		bars(groups, t('sheets.chart', {first, last})),
		h('p', {class: 'legend'}, h('span', {}, h('i'), t('sheets.turnover')), h('span', {}, h('i', {class: 'second'}), t('sheets.net')),
			sheets.some((sheet) => sheet.netResult < 0) ? h('span', {}, h('i', {class: 'loss'}), t('sheets.loss')) : null),
		h('details', {}, h('summary', {}, t('sheets.table')), table(
			[{text: t('sheets.year')}, ...['turnover', 'net', 'equity', 'debts', 'employees'].map((name) => ({text: t(`sheets.${name}`), number: true}))],
			newestFirst.map((sheet) => [`${sheet.year}`, ...[sheet.turnover, sheet.netResult, sheet.equity, sheet.debts, sheet.employees].map(amount)]))),
		h('p', {class: 'hint'}, t('sheets.unit')),
		waiting,
	].filter(Boolean);
}
