// Exchange rates on the front page: a conversion, and the usual currencies.

import {ask} from './api.js';
import {h} from './dom.js';
import {problemNotice} from './page.js';
import {day, number, rate, t} from './text.js';

// outdated is a warning that the latest fixing could not be fetched, so the previous one is shown.
const outdated = (answer) => /detail=stale/.test(answer.header.get('Cache-Status') ?? '') ? h('p', {class: 'notice'}, t('rate.outdated', {date: day(answer.data.date)})) : null;

// showConversion shows an amount in another currency.
export async function showConversion({amount, from, to, date}, signal) {
	const query = {amount, from, to, date};
	const answer = await ask('/v1/fx-rates/convert', {query, signal, inputs: {from: 'currency', to: 'currency', date: 'fixingDate'}});
	const {data} = answer;
	const result = `${number(data.amount, {maximumFractionDigits: 10})} ${data.from} = ${number(data.result, {minimumFractionDigits: 2, maximumFractionDigits: 20})} ${data.to}`;
	const pair = data.from === 'RON' ? {from: data.to, to: 'RON'} : {from: data.from, to: data.to};
	return {
		cards: [outdated(answer), h('article', {class: 'card'}, h('h2', {}, t('convert.heading')), h('p', {class: 'big'}, result),
			h('p', {class: 'hint'}, t('convert.rate', {rate: rate(data.rate), from: data.from, to: data.to})), applied(data.date, date),
			data.unit ? h('p', {class: 'hint'}, t('rate.gram')) : null,
			pair.from === pair.to ? null : h('p', {}, h('a', {href: `/rates/${pair.from}${pair.to === 'RON' ? '' : `?to=${pair.to}`}`}, t('history.heading', pair))))].filter(Boolean),
		request: {path: '/v1/fx-rates/convert', query, tool: 'convert_currency', args: given({...query, amount: Number(amount)})}, answer, said: result,
	};
}

const given = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));

// applied names the fixing that was used. Its day can be earlier than the requested one.
function applied(date, requested) {
	const other = requested && requested !== date ? ` ${t('rate.previous', {date: day(requested)})}` : '';
	return h('p', {class: 'hint'}, t('rate.fixing', {date: day(date, {dateStyle: 'full'})}), other);
}

// showTiles shows the latest rates of the usual currencies, or that they are unavailable.
export async function showTiles(section, tiles) {
	try {
		const answer = await ask('/v1/fx-rates', {query: {currency: 'EUR,USD,GBP,CHF'}});
		const {data} = answer, order = ['EUR', 'USD', 'GBP', 'CHF'];
		const items = data.items.toSorted((a, b) => order.indexOf(a.currency) - order.indexOf(b.currency));
		tiles.replaceChildren(...items.map((item) => h('a', {class: 'tile', href: `/rates/${item.currency}`}, h('span', {}, `1 ${item.currency}`), h('b', {}, rate(item.rate)), h('span', {}, 'RON'))));
		section.querySelector('h2').append(h('span', {class: 'type'}, ` · ${day(data.date)}`));
		tiles.before(outdated(answer) ?? '');
	} catch (problem) {
		if (problem.status === undefined) throw problem; // a bug of this page
		tiles.replaceChildren(problemNotice(problem, () => showTiles(section, tiles)));
	}
}
