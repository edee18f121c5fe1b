// Usage: the month's credits, a forecast, and calls by day and operation.

import {ask} from './api.js';
import {bars} from './chart.js';
import {h, id, table} from './dom.js';
import {day, number, percent, plural, t} from './text.js';

const dayLength = 86400e3;

export async function showUsage(body) {
	const [{data: usage}, {data: daily}] = await Promise.all([ask('/v1/usage'), ask('/v1/usage/daily')]);
	body.append(month(usage), calls(daily));
}

function month({plan, monthlyCredits, creditsUsed, creditsRemaining, rateLimit}) {
	const share = monthlyCredits > 0 ? Math.min(1, creditsUsed / monthlyCredits) : 0;
	const fill = h('i', {class: share >= 1 ? 'full' : share > 0.8 ? 'high' : ''});
	fill.style.width = `${share * 100}%`;
	const unlimited = creditsRemaining === null;
	return h('div', {class: 'card'},
		h('div', {class: 'row'}, h('h3', {}, t('usage.month')), h('a', {href: '/dashboard/plans'}, t('usage.plan', {plan}))),
		h('p', {class: 'big'}, number(creditsUsed), ' ', h('small', {}, unlimited ? t('usage.unlimited') : t('usage.of', {n: number(monthlyCredits)}))),
		unlimited ? null : h('div', {class: 'meter', role: 'meter', 'aria-label': t('usage.month'), 'aria-valuemin': '0', 'aria-valuemax': `${monthlyCredits}`, 'aria-valuenow': `${creditsUsed}`}, fill),
		h('p', {}, unlimited ? '' : forecast(creditsUsed, creditsRemaining, new Date())),
		h('p', {class: 'hint'}, plural('plans.rate', rateLimit.rps, {burst: number(rateLimit.burst)})));
}

// forecast estimates when the credits will run out at the month's current pace. The month is a calendar month in UTC.
export function forecast(used, left, now) {
	const start = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1), end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
	const reset = day(new Date(end).toISOString().slice(0, 10));
	if (left === 0) return t('usage.out', {date: reset});
	if (used === 0) return t('usage.fresh', {date: reset});
	// The first hours of a month are too short for a forecast.
	const elapsed = Math.max(now - start, dayLength);
	const out = now.getTime() + left / used * elapsed;
	if (out < end) return t('usage.runsOut', {date: day(new Date(out).toISOString().slice(0, 10))});
	return t('usage.lasts', {left: number(Math.round(left - used / elapsed * (end - now))), date: reset});
}

function calls({from, to, days}) {
	const byDate = new Map(days.map((one) => [one.date, one]));
	const names = [...new Set(days.flatMap((one) => one.operations.map(({operation}) => operation)))].sort();
	const drawing = h('div');
	const draw = (name) => {
		const of = (date) => name ? byDate.get(date)?.operations.find(({operation}) => operation === name) : byDate.get(date);
		const groups = dates(from, to).map((date) => ({label: day(date, {day: 'numeric', month: 'short'}), bars: [{value: of(date)?.calls ?? 0, kind: 'second'}, {value: of(date)?.credits ?? 0, kind: ''}]}));
		drawing.replaceChildren(bars(groups, t('usage.chart', {from: day(from), to: day(to)}), (value) => Number.isInteger(value) ? number(value) : '', 900));
	};
	draw('');
	return h('div', {class: 'card'},
		h('div', {class: 'row'}, h('h3', {}, t('usage.calls')), names.length ? h('label', {}, h('span', {class: 'hidden'}, t('usage.operation')), h('select', {onchange: ({target}) => draw(target.value)}, h('option', {value: ''}, t('usage.all')), names.map((name) => h('option', {value: name}, titleOf(name))))) : null),
		days.length ? [drawing,
			h('p', {class: 'legend'}, h('span', {}, h('i', {class: 'second'}), t('usage.callsShort')), h('span', {}, h('i'), t('usage.credits'))),
			h('details', {open: true}, h('summary', {}, t('usage.byOperation')), operations(days, names))] :
			h('p', {class: 'hint'}, t('usage.none'), ' ', h('a', {href: '/dashboard/keys'}, t('keys.create'))),
		h('p', {class: 'hint'}, t('usage.late')));
}

function operations(days, names) {
	const sum = (name, what) => days.reduce((total, one) => total + (one.operations.find(({operation}) => operation === name)?.[what] ?? 0), 0);
	return table([{text: t('usage.operation')}, {text: t('usage.callsShort'), number: true}, {text: t('usage.credits'), number: true}, {text: t('usage.hits'), number: true}],
		names.map((name) => [h('span', {title: name}, titleOf(name)), number(sum(name, 'calls')), number(sum(name, 'credits')), percent(sum(name, 'hits') / (sum(name, 'calls') || 1), 0)]));
}

// titleOf returns the title of an operation, which the page lists, or its name.
const titleOf = (name) => [...id('operations').children].find(({value}) => value === name)?.textContent ?? name;

function dates(from, to) {
	const all = [];
	for (let at = Date.parse(`${from}T00:00:00Z`); at <= Date.parse(`${to}T00:00:00Z`); at += dayLength) all.push(new Date(at).toISOString().slice(0, 10));
	return all;
}
