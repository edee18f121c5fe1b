// The state of the registries, now and over the last days. It is refreshed while the page is visible.

import {ask} from './api.js';
import {fact, facts, h, id} from './dom.js';
import {problemNotice} from './page.js';
import {drawPast} from './past.js';
import {ago, day, number, t, time} from './text.js';

const interval = 15000;
const badges = {ok: 'good', stale: 'warn', down: 'bad'};

let known = null; // the last answer
let drawn = ''; // the data of the last drawing of the history

async function look() {
	let data;
	try {
		({data} = await ask('/v1/status'));
	} catch (problem) {
		if (problem.status === undefined) throw problem; // a bug of this page
		if (!known) {
			tell(t('status.none'));
			return id('sources').replaceChildren(problemNotice(problem, look));
		}
		// The previous state is no longer known.
		tell(t('status.unknown', {time: time(known.timestamp)}));
		id('sources').replaceChildren(...known.sources.map((source) => card({...source, state: 'unknown'})));
		return;
	}
	known = data;
	id('sources').replaceChildren(...data.sources.map(card));
	tell(summary(data.sources));
	id('about').textContent = t('status.about', {version: data.version, environment: data.environment, since: time(Date.now() - data.uptime * 1000), now: time(data.timestamp)});
	await lookBack(data.sources);
}

// summary reports success only if every registry is known to work.
function summary(sources) {
	const named = (wanted) => sources.filter(({state}) => wanted(state)).map(({name}) => t(`registry.${name}`)).join(', ');
	const bad = named((state) => state in badges && state !== 'ok'), unknown = named((state) => !(state in badges));
	const parts = [bad && t('status.some', {names: bad}), unknown && t('status.notAsked', {names: unknown})].filter(Boolean);
	return parts.join(' ') || t(sources.length ? 'status.all' : 'status.none');
}

// lookBack draws the history when a state has changed, and once an hour.
async function lookBack(sources) {
	const now = [new Date().getHours(), ...sources.map(({state}) => state)].join(' ');
	if (now === drawn) return;
	try {
		const {data} = await ask('/v1/status/history', {query: {days: 90}});
		drawPast(data.sources);
		drawn = now;
	} catch (problem) {
		if (problem.status === undefined) throw problem;
		if (!drawn) id('past').replaceChildren(problemNotice(problem, () => lookBack(sources)));
	}
}

// tell changes the summary only if its text differs, because screen readers announce each change.
function tell(text) {
	if (id('summary').textContent !== text) id('summary').textContent = text;
}

function card(source) {
	return h('article', {class: 'card', 'data-source': source.name},
		h('div', {class: 'row'}, h('h2', {}, t(`registry.${source.name}`)), h('span', {class: `badge ${badges[source.state] ?? 'unknown'}`}, t(source.state in badges ? `state.${source.state}` : 'past.notKnown'))),
		h('p', {class: 'hint'}, t(`registry.${source.name}.does`)),
		facts(
			fact(t('status.asOf'), source.asOf ? day(source.asOf, {dateStyle: 'medium'}) : t('status.nothing')),
			fact(t('status.lastSuccess'), source.lastSuccess ? h('time', {datetime: source.lastSuccess, title: ago(source.lastSuccess)}, time(source.lastSuccess)) : t('status.never')),
			fact(t('status.missed'), number(source.missedPublications)),
			fact(t('status.breaker'), t(`breaker.${source.breaker}`)),
			source.memberStates ? fact(t('status.memberStates'), downStates(source.memberStates)) : null));
}

// downStates names the member states whose registers are unavailable.
function downStates(states) {
	const names = new Intl.DisplayNames(document.documentElement.lang, {type: 'region'});
	const name = (code) => code === 'XI' ? t('status.northernIreland') : names.of(code === 'EL' ? 'GR' : code);
	return states.filter(({state}) => state === 'down').map(({countryCode}) => name(countryCode)).join(', ') || t('status.noMemberState');
}

look();
setInterval(() => { if (!document.hidden) look(); }, interval);
document.addEventListener('visibilitychange', () => { if (!document.hidden) look(); });
