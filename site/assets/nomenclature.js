// Activities, places, and what words find in everything.

import {ask} from './api.js';
import {cuiNote, stateBadge} from './company.js';
import {fact, facts, h} from './dom.js';
import {exportActions} from './export.js';
import {spoken} from './page.js';
import {day, nameOf, number, plural, t} from './text.js';

const search = (q) => `/?${new URLSearchParams({q})}`;
const codeLink = (entry) => h('li', {}, h('a', {href: search(`CAEN ${entry.code}`)}, `${entry.code} · ${nameOf(entry)}`), h('span', {}, t(`caen.${entry.type}`)));

// showActivity gives a CAEN code with what stands above and below it. A code that
// Rev.3 dropped gives its successors.
export async function showActivity(code, signal) {
	const request = {path: `/v1/caen-codes/${encodeURIComponent(code)}`, query: {}, tool: 'get_caen_code', args: {code}};
	const answer = await ask(request.path, {signal});
	const {data} = answer;
	const card = h('article', {class: 'card'},
		h('ol', {class: 'crumbs', 'aria-label': t('caen.above')}, data.parents.map((parent) => h('li', {}, h('a', {href: search(`CAEN ${parent.code}`), title: parent.name}, `${parent.code} ${nameOf(parent)}`)))),
		h('h2', {}, `${data.code} · ${nameOf(data)}`),
		h('p', {class: 'badges'}, h('span', {class: 'badge'}, t(`caen.${data.type}`)), h('span', {class: 'badge good'}, 'CAEN Rev.3')),
		nameOf(data) === data.name ? null : h('p', {class: 'hint', lang: 'ro'}, data.name),
		data.description ? h('p', {lang: 'ro'}, data.description) : null,
		facts(fact(t('caen.replaces'), data.replacesRev2Codes.map((rev2) => String(rev2).padStart(data.code.length, '0')).join(', '))),
		data.children.length ? [h('h3', {}, t('caen.below')), h('ul', {class: 'results'}, data.children.map(codeLink))] : null);
	return {cards: [card], request, answer, said: data.name};
}

// showSuccessors explains a dropped code.
export const showSuccessors = (problem) => h('article', {class: 'card'},
	h('h2', {}, t('caen.dropped')), h('p', {}, problem.message), h('ul', {class: 'results'}, problem.body.successors.map(codeLink)),
	h('p', {}, h('a', {href: '/docs/caen-rev2'}, t('caen.guide'))));

// showWords looks for companies, activities and places at once. One that cannot
// answer does not keep the others back.
export async function showWords(q, signal) {
	const request = {path: '/v1/companies', query: {q, limit: '10'}, tool: 'search_companies', args: {q, limit: 10}};
	const [companies, activities, places] = await Promise.allSettled([
		ask(request.path, {query: request.query, signal}),
		ask('/v1/caen-codes', {query: {q, limit: '5'}, signal}),
		ask('/v1/cities', {query: {q, limit: '5'}, signal}),
	]);
	const answers = [[t('found.companies'), companies, companyItem], [t('found.activities'), activities, codeLink], [t('found.places'), places, placeItem]];
	if (answers.every(([, answer]) => answer.status === 'rejected')) throw companies.reason;
	const found = answers.filter(([, answer]) => answer.status === 'rejected' || answer.value.data.items.length);
	const cards = found.map(([heading, answer, item]) => group(heading, answer, item));
	if (companies.value?.data.items.length) cards[0].append(h('p', {class: 'hint'}, t('found.states', {date: day(companies.value.data.dataThrough)})), exportActions(q, companies.value.data.totalCount));
	const total = answers.reduce((sum, [, answer]) => sum + (answer.value?.data.totalCount ?? 0), 0);
	if (!cards.length) cards.push(nothing(q));
	const best = [companies, places, activities].find((answer) => answer.value?.data.items.length) ?? companies;
	// What could not be searched is said too: no results are another thing.
	const failed = answers.filter(([, answer]) => answer.status === 'rejected').map(([heading]) => t('found.failed', {heading}));
	return {cards, ...requestOf(best, {request, q, activities, places}), said: [plural('found.count', total), ...failed].join('. ')};
}

// showTradeNumber finds the company with a trade-register number.
export const showTradeNumber = (number, signal) => showOne(t('found.companies'), companyItem, number,
	{path: '/v1/companies', query: {q: number, limit: '5'}, tool: 'search_companies', args: {q: number, limit: 5}}, signal);

// showActivities finds activities by words.
export const showActivities = (q, signal) => showOne(t('found.activities'), codeLink, q,
	{path: '/v1/caen-codes', query: {q, limit: '10'}, tool: 'search_caen_codes', args: {q, limit: 10}}, signal);

// showPlace finds a place by its SIRUTA code.
export const showPlace = (code, signal) => showOne(t('found.places'), placeItem, `SIRUTA ${code}`,
	{path: '/v1/cities', query: {id: code}, tool: 'search_cities', args: {id: code}}, signal);

// showOne shows what one search finds, or that it finds nothing.
async function showOne(heading, item, q, request, signal) {
	const answer = await ask(request.path, {query: request.query, signal});
	const {items, totalCount} = answer.data;
	return {cards: [items.length ? group(heading, {value: answer}, item) : nothing(q)], request, answer, said: plural('found.count', totalCount)};
}

const nothing = (q) => h('article', {class: 'card'}, h('h2', {}, t('found.nothing', {q})), h('p', {}, t('found.advice')));

// requestOf is the request that belongs to the answer that is shown first.
function requestOf(best, {request, q, activities, places}) {
	const path = best === activities ? '/v1/caen-codes' : best === places ? '/v1/cities' : '';
	if (!path) return {request, answer: best.value};
	return {request: {path, query: {q, limit: '5'}, tool: best === activities ? 'search_caen_codes' : 'search_cities', args: {q, limit: 5}}, answer: best.value};
}

function group(heading, answer, item) {
	if (answer.status === 'rejected') return h('article', {class: 'card'}, h('h3', {}, heading), spoken(answer.reason));
	const {items, totalCount} = answer.value.data;
	return h('article', {class: 'card'},
		h('div', {class: 'row'}, h('h3', {}, heading), h('span', {class: 'type'}, t('found.of', {shown: number(items.length), total: number(totalCount)}))),
		h('ul', {class: 'results'}, items.map(item)));
}

const companyItem = (company) => h('li', {},
	h('div', {class: 'row'}, company.taxId ? h('a', {href: search(String(company.taxId))}, company.name) : h('b', {}, company.name), stateBadge(company.stateRegistration)),
	h('span', {}, [cuiNote(company), company.tradeNumber, company.city, company.county].filter(Boolean).join(' · ')));

const placeItem = (place) => h('li', {}, h('b', {}, place.name),
	h('span', {}, [t(`place.${place.type}`), t('place.county', {name: place.countyName, code: place.countyCode}), `SIRUTA ${place.sirutaCode}`, place.anafCode && t('place.anaf', {code: place.anafCode})].filter(Boolean).join(' · ')));
