// The state of the registries, asked for again while the page is looked at.

import {ask} from './api.js';
import {fact, facts, h, id} from './dom.js';
import {spoken} from './page.js';
import {ago, day, number, t, time} from './text.js';

const interval = 15000;
const longest = 60; // looks that are remembered
const badges = {ok: 'good', stale: 'warn', down: 'bad'};

// history has the states that this page has seen, by registry, the newest last.
// The API tells the present only, so this is all that can be shown honestly.
const history = JSON.parse(sessionStorage.getItem('rodata.status') ?? '{}');

function remember(sources) {
	for (const {name, state} of sources) {
		history[name] = [...history[name] ?? [], {state, at: Date.now()}].slice(-longest);
	}
	sessionStorage.setItem('rodata.status', JSON.stringify(history));
}

async function look() {
	try {
		const {data} = await ask('/v1/status');
		remember(data.sources);
		id('sources').replaceChildren(...data.sources.map(card));
		const bad = data.sources.filter((source) => source.state !== 'ok').map((source) => t(`registry.${source.name}`));
		tell(bad.length ? t('status.some', {names: bad.join(', ')}) : t('status.all'));
		id('about').textContent = t('status.about', {version: data.version, environment: data.environment, since: time(Date.now() - data.uptime * 1000), now: time(data.timestamp)});
	} catch (problem) {
		tell(t('status.unknown'));
		if (!id('sources').querySelector('.card')) id('sources').replaceChildren(spoken(problem, look));
	}
}

// tell changes the summary only when it says something else, for it is read aloud.
function tell(text) {
	if (id('summary').textContent !== text) id('summary').textContent = text;
}

function card(source) {
	const seen = history[source.name];
	return h('article', {class: 'card', 'data-source': source.name},
		h('div', {class: 'row'}, h('h2', {}, t(`registry.${source.name}`)), h('span', {class: `badge ${badges[source.state]}`}, t(`state.${source.state}`))),
		h('p', {class: 'hint'}, t(`registry.${source.name}.does`)),
		facts(
			fact(t('status.asOf'), source.asOf ? day(source.asOf, {dateStyle: 'medium'}) : t('status.nothing')),
			fact(t('status.lastSuccess'), source.lastSuccess ? h('time', {datetime: source.lastSuccess, title: time(source.lastSuccess)}, ago(source.lastSuccess)) : t('status.never')),
			fact(t('status.missed'), number(source.missedPublications)),
			fact(t('status.breaker'), t(`breaker.${source.breaker}`))),
		h('div', {class: 'ticks', role: 'img', 'aria-label': seenText(seen)}, seen.map(({state, at}) => h('i', {class: state, title: `${time(at)}: ${t(`state.${state}`)}`}))),
		h('p', {class: 'hint'}, t('status.since', {time: time(seen[0].at)})));
}

function seenText(seen) {
	const well = seen.filter(({state}) => state === 'ok').length;
	return t('status.seen', {well: number(well), all: number(seen.length)});
}

look();
setInterval(() => { if (!document.hidden) look(); }, interval);
document.addEventListener('visibilitychange', () => { if (!document.hidden) look(); });
