// A company's profile, drawn for people.

import {ask} from './api.js';
import {bars} from './chart.js';
import {fact, facts, h, table} from './dom.js';
import {spoken} from './page.js';
import {ago, day, nameOf, number, t} from './text.js';

const stateKind = {in_operation: 'good', unknown: '', suspended: 'warn', in_reorganization: 'warn'};

export const stateBadge = (state) => h('span', {class: `badge ${stateKind[state] ?? 'bad'}`}, t(`state.${state ?? 'unknown'}`));

// cuiNote says by which number a company is found, or that the register lists none.
export const cuiNote = (company) => company.taxId ? `CUI ${company.taxId}` : t('company.noCui');

// showCompany asks for a profile and gives its cards, the request and the answer.
export async function showCompany(cui, signal) {
	const request = {path: `/v1/companies/${encodeURIComponent(cui)}`, query: {}, tool: 'get_company', args: {cui}};
	const answer = await ask(request.path, {signal});
	const sheets = h('div', {class: 'card', 'aria-live': 'polite'}, h('p', {class: 'hint spin'}, t('sheets.loading')));
	showSheets(sheets, request.path, signal);
	return {cards: [profile(answer.data), sheets], request, answer, said: answer.data.name};
}

function profile(company) {
	const yes = (value, word) => value ? h('span', {class: 'badge good'}, t(word)) : null;
	return h('article', {class: 'card'},
		h('h2', {}, company.name),
		h('p', {class: 'badges'}, stateBadge(company.stateRegistration),
			company.vatPayer === null ? null : h('span', {class: `badge ${company.vatPayer ? 'good' : ''}`}, vat(company)),
			yes(company.eInvoice?.registered, 'company.eInvoice'), yes(company.vatOnCollection, 'company.vatOnCollection'),
			company.inactive?.status ? h('span', {class: 'badge bad'}, t('company.inactive')) : null),
		facts(
			fact(t('company.cui'), company.vatPayer ? `RO ${company.taxId}` : `${company.taxId}`),
			fact(t('company.tradeNumber'), company.tradeNumber),
			fact(t('company.registered'), company.registrationDate && day(company.registrationDate)),
			fact(t('company.address'), [company.address, company.postalCode].filter(Boolean).join(', '), 'full'),
			fact(t('company.caen'), company.mainNaceCode && activity(company.mainNaceCode)),
			fact(t('company.legalForm'), company.legalForm),
			fact(t('company.fiscalAuthority'), company.fiscalAuthority),
			fact(t('company.phone'), company.phone), fact(t('company.website'), company.website),
			fact(t('company.euid'), company.euid)),
		origins(company.sources ?? []));
}

// activity is a link to a CAEN code, with its name as soon as that is there. One of
// Rev.2 stays a code.
function activity(code) {
	const link = h('a', {href: `/?q=CAEN+${code}`}, code);
	ask(`/v1/caen-codes/${encodeURIComponent(code)}`).then(({data}) => { link.textContent = `${code} · ${nameOf(data)}`; }, () => {});
	return link;
}

function vat(company) {
	if (!company.vatPayer) return t('company.noVat');
	return company.vatSince ? t('company.vatSince', {date: day(company.vatSince, {dateStyle: 'medium'})}) : t('company.vat');
}

// origins says where an answer comes from, and how old it is.
function origins(sources) {
	return h('ul', {class: 'origins'}, sources.map((source) => h('li', {},
		h('b', {}, t(`registry.${source.name}`)), ' · ',
		source.retrievedAt ? t('source.asked', {ago: ago(source.retrievedAt)}) : t('source.failed'),
		source.asOf ? ` · ${t('source.asOf', {date: day(source.asOf, {dateStyle: 'medium'})})}` : '',
		source.stale ? [' ', h('span', {class: 'badge warn'}, t('state.stale'))] : null)));
}

// showSheets fills a card with the balance sheets when they are there.
async function showSheets(card, path, signal) {
	try {
		const {data} = await ask(path, {query: {include: 'balanceSheets'}, signal});
		const missing = data.sources?.find((source) => source.name === 'anaf-bilant')?.missingYears ?? [];
		card.replaceChildren(...balance(data.balanceSheets ?? [], missing));
	} catch (problem) {
		if (problem.name !== 'AbortError') card.replaceChildren(h('h3', {}, t('sheets.heading')), spoken(problem, () => showSheets(card, path, signal)));
	}
}

function balance(newestFirst, missing) {
	const sheets = newestFirst.toReversed();
	const waiting = missing.length ? h('p', {class: 'hint'}, t('sheets.missing', {years: missing.join(', ')})) : null;
	if (!sheets.length) return [h('h3', {}, t('sheets.heading')), h('p', {class: 'hint'}, t('sheets.none')), waiting].filter(Boolean);
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
