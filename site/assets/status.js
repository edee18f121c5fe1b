// The state of the registries, now and over the last days, asked for again while
// the page is looked at.

import {ask} from './api.js';
import {fact, facts, h, id} from './dom.js';
import {spoken} from './page.js';
import {drawPast} from './past.js';
import {ago, day, number, t, time} from './text.js';

const interval = 15000;
const badges = {ok: 'good', stale: 'warn', down: 'bad', unknown: ''};

let drawn = ''; // what was there to draw when the past was drawn last

async function look() {
	let data;
	try {
		({data} = await ask('/v1/status'));
	} catch (problem) {
		if (problem.status === undefined) throw problem; // a mistake of this page
		tell(t('status.unknown'));
		if (!id('sources').querySelector('.card')) id('sources').replaceChildren(spoken(problem, look));
		return;
	}
	id('sources').replaceChildren(...data.sources.map(card));
	const bad = data.sources.filter((source) => source.state === 'stale' || source.state === 'down').map((source) => t(`registry.${source.name}`));
	const unasked = data.sources.filter((source) => source.state === 'unknown').map((source) => t(`registry.${source.name}`));
	tell(bad.length ? t('status.some', {names: bad.join(', ')}) : unasked.length ? t('status.unasked', {names: unasked.join(', ')}) : t('status.all'));
	id('about').textContent = t('status.about', {version: data.version, environment: data.environment, since: time(Date.now() - data.uptime * 1000), now: time(data.timestamp)});
	await lookBack(data.sources);
}

// lookBack draws the past when a state has changed, and once an hour.
async function lookBack(sources) {
	const now = [new Date().getHours(), ...sources.map(({state}) => state)].join(' ');
	if (now === drawn) return;
	try {
		const {data} = await ask('/v1/status/history', {query: {days: 90}});
		drawPast(data.sources);
		drawn = now;
	} catch (problem) {
		if (problem.status === undefined) throw problem;
		if (!drawn) id('past').replaceChildren(spoken(problem, () => lookBack(sources)));
	}
}

// tell changes the summary only when it says something else, for it is read aloud.
function tell(text) {
	if (id('summary').textContent !== text) id('summary').textContent = text;
}

function card(source) {
	return h('article', {class: 'card', 'data-source': source.name},
		h('div', {class: 'row'}, h('h2', {}, t(`registry.${source.name}`)), h('span', {class: `badge ${badges[source.state]}`}, t(`state.${source.state}`))),
		h('p', {class: 'hint'}, t(`registry.${source.name}.does`)),
		facts(
			fact(t('status.asOf'), source.asOf ? day(source.asOf, {dateStyle: 'medium'}) : t('status.nothing')),
			fact(t('status.lastSuccess'), source.lastSuccess ? h('time', {datetime: source.lastSuccess, title: time(source.lastSuccess)}, ago(source.lastSuccess)) : t('status.never')),
			fact(t('status.missed'), number(source.missedPublications)),
			fact(t('status.breaker'), t(`breaker.${source.breaker}`))));
}

look();
setInterval(() => { if (!document.hidden) look(); }, interval);
document.addEventListener('visibilitychange', () => { if (!document.hidden) look(); });
