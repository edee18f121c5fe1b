// The events of the watch-lists, newest first, with old and new values.

import {ask} from './api.js';
import {h} from './dom.js';
import {action} from './form.js';
import {kinds} from './monitoring.js';
import {day, t, time} from './text.js';

const pageSize = 100, step = 20, kept = 1000;

export async function showEvents(card, lists) {
	const chosen = {watchlist: '', type: '', severity: ''};
	const shown = h('div', {'aria-live': 'polite'});
	const refresh = () => show(shown, chosen, lists);
	const choice = (name, options) => h('label', {}, h('span', {}, t(`events.${name}`)), h('select', {onchange: ({target}) => {
		chosen[name] = target.value;
		return refresh();
	}}, h('option', {value: ''}, t('events.all')), options.map(([value, text]) => h('option', {value}, text))));
	card.replaceChildren(h('div', {class: 'row'}, h('h3', {}, t('events.heading')), h('p', {}, action(t('events.refresh'), refresh, 'button quiet small'))),
		h('div', {class: 'filters'}, choice('watchlist', lists.map(({id, name}) => [id, name])), choice('type', kinds.map((kind) => [kind, t(`event.${kind}`)])),
			choice('severity', ['high', 'medium', 'low'].map((one) => [one, t(`severity.${one}`)]))),
		shown);
	await refresh();
}

// read reads the feed to its end, where the newest events are.
async function read({watchlist, type}) {
	let events = [], after;
	for (;;) {
		const {data} = await ask('/v1/events', {query: {limit: pageSize, after, watchlist, type}});
		events = [...events, ...data.items].slice(-kept);
		if (!data.hasMore) return events.reverse();
		after = data.nextCursor;
	}
}

async function show(place, chosen, lists) {
	const events = (await read(chosen)).filter(({data}) => !chosen.severity || data.severity === chosen.severity);
	const list = h('ul', {class: 'results'});
	const more = h('p', {});
	const next = () => {
		const from = list.childElementCount;
		list.append(...events.slice(from, from + step).map((one) => item(one, lists)));
		more.replaceChildren(...list.childElementCount < events.length ? action(t('more'), next, 'button quiet small') : []);
	};
	next();
	place.replaceChildren(events.length ? list : h('p', {class: 'hint'}, t('events.none')), more);
}

const colours = {high: 'bad', medium: 'warn', low: ''};

function item({type, timestamp, data}, lists) {
	const where = lists.find(({id}) => id === data.watchlist)?.name;
	return h('li', {}, h('div', {class: 'row'}, h('b', {}, data.taxId ? h('a', {href: `/companies/${data.taxId}`}, data.name ?? `CUI ${data.taxId}`) : where ?? t('monitoring.lists')), h('span', {class: `badge ${colours[data.severity]}`}, t(`severity.${data.severity}`))),
		data.changes.length ? data.changes.map(change) : h('p', {}, t(`event.${type}`, {}, type), data.statement ? `: ${data.statement.year}` : null),
		h('span', {}, [time(timestamp), data.reference, where].filter(Boolean).join(' · ')));
}

function change({type, before, after, validFrom, recordedOn}) {
	return h('p', {}, t(`event.${type}`, {}, type), ': ', h('s', {}, word(before)), ' → ', h('b', {}, word(after)),
		validFrom ? ` ${t('events.from', {date: day(validFrom, {dateStyle: 'medium'})})}` : null, recordedOn ? ` ${t('events.recorded', {date: day(recordedOn, {dateStyle: 'medium'})})}` : null);
}

// word returns a value in the page's language.
function word(value) {
	if (value === null || value === '') return t('events.unknown');
	if (typeof value === 'boolean') return t(value ? 'onday.yes' : 'onday.no');
	return t(`state.${value}`, {}, value);
}
