// The tax authority's registers beside that of taxpayers, and proceedings against a company.

import {ask} from './api.js';
import {fact, facts, h} from './dom.js';
import {origin} from './origin.js';
import {spoken} from './page.js';
import {day, lang, t} from './text.js';

const sources = ['anaf-farmers', 'anaf-nonprofits', 'anaf-efactura'];

// registersCard asks nothing until it is opened: each register that has not been asked takes a second.
export function registersCard(path, signal) {
	const answer = h('div', {'aria-live': 'polite'});
	const load = async () => {
		answer.replaceChildren(h('p', {class: 'hint spin'}, t('registers.loading')));
		try {
			const {data} = await ask(path, {query: {include: 'registers,insolvency'}, signal});
			answer.replaceChildren(...entries(data));
		} catch (problem) {
			if (problem.name !== 'AbortError') answer.replaceChildren(spoken(problem, load));
		}
	};
	const details = h('details', {ontoggle: () => {
		if (details.open && !answer.firstChild) load();
	}}, h('summary', {}, t('registers.heading')), answer);
	return h('article', {class: 'card', id: 'registers'}, details);
}

function entries({registers, insolvency, sources: all}) {
	const {label, since, dataThrough} = insolvency;
	const proceedings = [label[lang], since && t('registers.since', {day: day(since)}), dataThrough && t('source.asOf', {date: day(dataThrough)})];
	return [
		facts(
			fact(t('registers.farmers'), entry(registers.farmers)),
			fact(t('registers.nonProfits'), entry(registers.nonProfits)),
			fact(t('registers.eInvoice'), entry(registers.eInvoice)),
			fact(t('registers.insolvency'), proceedings.filter(Boolean).join(' · '), 'full')),
		h('p', {class: 'hint'}, h('a', {href: '/docs/registers'}, t('registers.guide'))),
		h('ul', {class: 'origins'}, sources.map((name) => origin(name, all.find((one) => one.name === name)))),
	];
}

// entry says whether a company is registered. Not known is never no.
function entry({registered, from, to}) {
	if (registered === null) return h('span', {class: 'missing'}, t('fact.unknown'));
	const span = [from && t('registers.since', {day: day(from)}), to && t('registers.until', {day: day(to)})];
	return [t(registered ? 'registers.yes' : 'registers.no'), ...span].filter(Boolean).join(' · ');
}
