// Exchange rates, drawn for people: a day's rate, a conversion, the history.

import {ask} from './api.js';
import {line} from './chart.js';
import {h, table} from './dom.js';
import {spoken} from './page.js';
import {day, number, percent, rate, t} from './text.js';

// outdated is a warning when the central bank could not be asked for the fixing that
// is due by now, so that the one before it is shown.
const outdated = (answer) => /detail=stale/.test(answer.header.get('Cache-Status') ?? '') ? h('p', {class: 'notice'}, t('rate.outdated', {date: day(answer.data.date)})) : null;

// showRate gives a currency's rate and its history.
export async function showRate({currency, date}, signal) {
	const query = {currency, date};
	const answer = await ask('/v1/fx-rates', {query, signal});
	const {items, notQuoted} = answer.data;
	const value = items[0]?.rate;
	const card = h('article', {class: 'card'},
		h('h2', {}, t('rate.heading', {currency})),
		value === undefined ? h('p', {}, t('rate.notQuoted', {currencies: notQuoted.join(', ')})) :
			h('p', {class: 'big'}, `1 ${currency} = ${rate(value)} RON`),
		applied(answer.data.date, answer.data.requestedDate),
		h('form', {class: 'inline', onsubmit: (event) => {
			event.preventDefault();
			const amount = new FormData(event.target).get('amount').trim();
			if (amount) location.assign(`/?${new URLSearchParams({q: `${amount} ${currency} RON ${answer.data.date}`})}`);
		}}, h('div', {class: 'field'}, h('label', {for: 'amount'}, t('rate.amount', {currency})), h('input', {id: 'amount', name: 'amount', inputmode: 'decimal', placeholder: '1250,50', autocomplete: 'off'})),
		h('button', {class: 'button quiet'}, t('rate.convert'))));
	return {
		cards: [outdated(answer), card, historyCard({from: currency, to: 'RON'}, answer.data.date, signal)].filter(Boolean), request: {path: '/v1/fx-rates', query, tool: 'get_fx_rates', args: given(query)},
		answer, said: value === undefined ? '' : `1 ${currency} = ${rate(value)} RON`,
	};
}

// showRates lists the rates of all currencies.
export async function showRates({date}, signal) {
	const query = {date};
	const answer = await ask('/v1/fx-rates', {query, signal});
	const {data} = answer;
	const rows = data.items.map((item) => [h('a', {href: `/?${new URLSearchParams({q: `${item.currency} ${data.date}`})}`}, item.currency), rate(item.rate)]);
	return {
		cards: [outdated(answer), h('article', {class: 'card'}, h('h2', {}, t('rates.heading')), applied(data.date, data.requestedDate),
			table([{text: t('rates.currency')}, {text: 'RON', number: true}], rows))].filter(Boolean),
		request: {path: '/v1/fx-rates', query, tool: 'get_fx_rates', args: given(query)}, answer, said: `${t('rates.heading')}, ${day(data.date)}`,
	};
}

// showConversion gives an amount in another currency.
export async function showConversion({amount, from, to, date}, signal) {
	const query = {amount, from, to, date};
	const answer = await ask('/v1/fx-rates/convert', {query, signal});
	const {data} = answer;
	const result = `${number(data.amount, {maximumFractionDigits: 10})} ${data.from} = ${number(data.result, {minimumFractionDigits: 2, maximumFractionDigits: 4})} ${data.to}`;
	const pair = data.from === 'RON' ? {from: data.to, to: 'RON'} : {from: data.from, to: data.to};
	return {
		cards: [outdated(answer), h('article', {class: 'card'}, h('h2', {}, t('convert.heading')), h('p', {class: 'big'}, result),
			h('p', {class: 'hint'}, t('convert.rate', {rate: rate(data.rate), from: data.from, to: data.to})), applied(data.date, date)),
		pair.from === pair.to ? null : historyCard(pair, data.date, signal)].filter(Boolean),
		request: {path: '/v1/fx-rates/convert', query, tool: 'convert_currency', args: given({...query, amount: Number(amount)})}, answer, said: result,
	};
}

const given = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));

// applied says which fixing it was, which is not always that of the day asked for.
function applied(date, requested) {
	const other = requested && requested !== date ? ` ${t('rate.previous', {date: day(requested)})}` : '';
	return h('p', {class: 'hint'}, t('rate.fixing', {date: day(date, {dateStyle: 'full'})}), other);
}

// historyCard draws how much of one currency was to be had for 1 of another.
function historyCard(pair, until, signal) {
	const drawing = h('div', {'aria-live': 'polite'});
	const spans = {month: 30, quarter: 91, year: 365};
	const buttons = Object.keys(spans).map((span) => h('button', {type: 'button', onclick: () => choose(span)}, t(`history.${span}`)));
	const choose = (span) => {
		buttons.forEach((button, i) => button.setAttribute('aria-pressed', Object.keys(spans)[i] === span));
		const since = new Date(Date.parse(`${until}T00:00:00Z`) - spans[span] * 86400e3).toISOString().slice(0, 10);
		drawHistory(drawing, pair, {from: since, to: until}, signal, () => choose(span));
	};
	choose('month');
	return h('article', {class: 'card', 'data-pair': `${pair.from} ${pair.to}`},
		h('div', {class: 'row'}, h('h3', {}, t('history.heading', pair)), h('div', {class: 'choices', role: 'group', 'aria-label': t('history.span')}, buttons)), drawing);
}

async function drawHistory(drawing, pair, days, signal, again) {
	if (!drawing.firstChild) drawing.replaceChildren(h('p', {class: 'hint spin'}, t('history.loading')));
	try {
		const items = await history(pair, days, signal);
		drawing.replaceChildren(...items.length < 2 ? [h('p', {class: 'hint'}, t('history.none'))] : drawn(items, pair));
	} catch (problem) {
		if (problem.name !== 'AbortError') drawing.replaceChildren(spoken(problem, again));
	}
}

// history is a pair's rates over some days. The central bank publishes rates in lei;
// between two other currencies it is the quotient, on the days that have both.
async function history({from, to}, days, signal) {
	const inLei = async (currency) => (await ask('/v1/fx-rates/history', {query: {currency, ...days}, signal})).data.items;
	const items = await inLei(from);
	if (to === 'RON') return items;
	const divisors = new Map((await inLei(to)).map((item) => [item.date, item.rate]));
	return items.filter(({date}) => divisors.has(date)).map(({date, rate: lei}) => ({date, rate: lei / divisors.get(date)}));
}

function drawn(items, {from, to}) {
	const first = items[0], last = items.at(-1);
	const change = last.rate / first.rate - 1;
	const summary = t('history.change', {change: `${change >= 0 ? '+' : '−'}${percent(Math.abs(change), 2)}`, date: day(first.date)});
	const values = items.map((item) => item.rate);
	const label = t('history.chart', {currency: from, target: to, from: day(first.date), to: day(last.date), low: rate(Math.min(...values)), high: rate(Math.max(...values))});
	const caption = h('p', {class: 'hint'}, summary);
	return [
		line(items, label, (item) => { caption.textContent = item ? `${day(item.date)}: ${rate(item.rate)} ${to}` : summary; }),
		caption,
		to === 'RON' ? null : h('p', {class: 'hint'}, t('history.cross', {from, to})),
		h('details', {}, h('summary', {}, t('history.table')),
			table([{text: t('history.day')}, {text: to, number: true}], items.toReversed().map((item) => [day(item.date), rate(item.rate)]))),
	].filter(Boolean);
}

// showTiles shows the latest rates of the usual currencies, or that they cannot be
// had.
export async function showTiles(section, tiles) {
	section.hidden = false;
	try {
		const answer = await ask('/v1/fx-rates', {query: {currency: 'EUR,USD,GBP,CHF'}});
		const {data} = answer, order = ['EUR', 'USD', 'GBP', 'CHF'];
		const items = data.items.toSorted((a, b) => order.indexOf(a.currency) - order.indexOf(b.currency));
		tiles.replaceChildren(...items.map((item) => h('a', {class: 'tile', href: `/?q=${item.currency}`}, h('span', {}, `1 ${item.currency}`), h('b', {}, rate(item.rate)), h('span', {}, 'RON'))));
		section.querySelector('h2').append(h('span', {class: 'type'}, ` · ${day(data.date)}`));
		tiles.before(outdated(answer) ?? '');
	} catch (problem) {
		if (problem.status === undefined) throw problem; // a mistake of this page
		tiles.replaceChildren(spoken(problem, () => showTiles(section, tiles)));
	}
}
