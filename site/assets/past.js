// The history of the registries' states: a bar for each day, and the incidents. A table has the same data for people who
// cannot see the bars.

import {h, id, table} from './dom.js';
import {day, lasting, number, percent, t, time} from './text.js';

// states are stacked in a bar, from the bottom up.
const states = ['down', 'stale', 'ok', 'unknown'];
const tall = 32, wide = 4;
const least = 5; // minimum height of a segment, so that even a bad minute is visible
const shown = 10; // number of incidents listed at first
const nameOf = (state) => state === 'unknown' ? t('past.notKnown') : t(`state.${state}`);
const badges = {stale: 'warn', down: 'bad'};

// drawPast draws the answer of /v1/status/history.
export function drawPast(sources) {
	id('past').replaceChildren(...sources.map(strip), legend());
	const all = sources.flatMap(({name, incidents}) => incidents.map((one) => ({name, ...one}))).sort((a, b) => b.from.localeCompare(a.from));
	id('incidents').replaceChildren(...all.length ? [list(all.slice(0, shown)),
		all.length > shown ? h('details', {}, h('summary', {}, t('past.more', {n: number(all.length - shown)})), list(all.slice(shown))) : ''] : [h('p', {class: 'hint'}, t('past.none'))]);
}

function strip({name, days}) {
	const summary = share(days);
	const told = h('p', {class: 'hint'}, summary);
	const known = days.filter((one) => one.ok + one.stale + one.down > 0);
	const drawing = h('svg', {
		viewBox: `0 0 ${days.length * wide} ${tall}`, preserveAspectRatio: 'none', role: 'img',
		'aria-label': t('past.chart', {name: t(`registry.${name}`), from: day(days[0].date), to: day(days.at(-1).date), summary}),
		onpointermove: (event) => {
			const box = event.currentTarget.getBoundingClientRect();
			const at = Math.floor((event.clientX - box.left) / box.width * days.length);
			told.textContent = words(days[Math.min(days.length - 1, Math.max(0, at))]);
		},
		onpointerleave: () => { told.textContent = summary; },
	}, days.map(bar));
	return h('article', {class: 'card', 'data-past': name}, h('h3', {}, t(`registry.${name}`)), drawing,
		h('p', {class: 'ends'}, h('span', {}, day(days[0].date, {dateStyle: 'medium'})), h('span', {}, t('past.today'))), told,
		known.length ? h('details', {}, h('summary', {}, t('history.table')),
			table([{text: t('history.day')}, ...['ok', 'stale', 'down', 'unknown'].map((state) => ({text: nameOf(state), number: true}))],
				known.toReversed().map((one) => [day(one.date, {dateStyle: 'medium'}), ...['ok', 'stale', 'down', 'unknown'].map((state) => one[state] ? lasting(one[state]) : '–')]))) : null);
}

// share returns the share of good time in the known time. It is rounded down: 100 % means all of it.
function share(days) {
	const sum = (state) => days.reduce((total, one) => total + one[state], 0);
	const ok = sum('ok'), known = ok + sum('stale') + sum('down');
	return known ? t('past.share', {share: percent(Math.floor(ok / known * 1e4) / 1e4, 2), known: lasting(known)}) : t('past.nothing');
}

function bar(one, i) {
	const all = states.reduce((total, state) => total + one[state], 0) || 1;
	const heights = Object.fromEntries(states.map((state) => [state, one[state] / all * tall]));
	for (const state of ['down', 'stale', 'ok']) {
		if (one[state]) heights[state] = Math.max(least, heights[state]);
	}
	let bottom = tall;
	return h('g', {}, h('title', {}, words(one)), states.map((state) => {
		const height = Math.min(bottom, heights[state]);
		bottom -= height;
		return height ? h('rect', {class: state, x: i * wide, y: bottom.toFixed(2), width: wide - 1, height: height.toFixed(2)}) : null;
	}));
}

const words = (one) => `${day(one.date)}: ${states.filter((state) => one[state]).map((state) => `${nameOf(state)} ${lasting(one[state])}`).join(', ')}`;

const legend = () => h('p', {class: 'legend'}, ['ok', 'stale', 'down', 'unknown'].map((state) => h('span', {}, h('i', {class: state}), nameOf(state))));

const list = (incidents) => h('ul', {class: 'results'}, incidents.map(({name, state, from, to}) => {
	const span = lasting(((to ? Date.parse(to) : Date.now()) - Date.parse(from)) / 1000);
	return h('li', {}, h('b', {}, t(`registry.${name}`)), ' ', h('b', {class: `badge ${badges[state]}`}, t(`state.${state}`)),
		h('span', {}, to ? t('past.ended', {from: time(from), to: time(to), span}) : t('past.lasts', {from: time(from), span})));
}));
