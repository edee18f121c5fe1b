// One watch-list: its settings, its feeds, and its companies.

import {ask} from './api.js';
import {h, say} from './dom.js';
import {dropZone} from './drop.js';
import {action, confirm, form} from './form.js';
import {kinds} from './monitoring.js';
import {copyButton} from './page.js';
import {ago, lang, number, plural, t, time} from './text.js';
import {explain} from './wrong.js';

const most = 1000; // maximum number of companies sent as JSON; more are sent as a table
const pageSize = 50;
const mostSorted = 5000; // maximum number of companies in a list that the service sorts by problems

export async function showWatchlist(place, list, again) {
	const companies = h('div', {class: 'card', id: 'watched'});
	place.replaceChildren(h('div', {class: 'card'}, h('div', {class: 'row'}, h('h3', {}, list.name), h('button', {type: 'button', class: 'button danger small', onclick: () =>
		confirm(t('watchlist.sure', {name: list.name}), t('watchlist.delete'), async () => {
			await ask(path(list), {method: 'DELETE'});
			await again();
		})}, t('watchlist.delete'))),
	list.unpaid ? h('p', {class: 'notice bad'}, t('watchlist.unpaid', {month: list.unpaid})) : null,
	h('details', {open: location.hash === '#digest'}, h('summary', {}, t('watchlist.settings')), settings(list, again)), feeds(list)), adding(list, () => changed(companies, list, again)), companies);
	await fill(companies, list, again);
}

// changed reloads the companies and their number.
const changed = (companies, list, again) => Promise.all([fill(companies, list, again), again(list.id, true)]);

const path = ({id}) => `/v1/watchlists/${encodeURIComponent(id)}`;

function settings(list, again) {
	const wanted = h('fieldset', {class: 'checkboxes'}, h('legend', {}, t('watchlist.kinds')), kinds.map((kind) =>
		h('label', {}, h('input', {type: 'checkbox', name: 'events', value: kind, checked: list.events.includes(kind)}), t(`event.${kind}`))));
	const element = form([
		{name: 'name', label: t('watchlist.name'), value: list.name, maxlength: 100, autocomplete: 'off'},
		{name: 'digest', label: t('watchlist.digest'), value: list.digest, options: ['none', 'daily', 'weekly'].map((value) => [value, t(`digest.${value}`)]), hint: t('watchlist.digestHint')},
		{name: 'language', label: t('watchlist.language'), value: list.language, options: ['both', 'ro', 'en'].map((value) => [value, t(`digestLanguage.${value}`)])},
		{name: 'every', label: t('watchlist.every'), value: list.every, options: ['day', 'week'].map((value) => [value, t(`every.${value}`)])},
	], t('watchlist.save'), async ({name, digest, language, every}) => {
		const events = [...wanted.querySelectorAll('input:checked')].map(({value}) => value);
		await ask(path(list), {method: 'PATCH', body: {name, digest, language, every, events}});
		say(t('watchlist.saved'));
		await again(list.id);
	});
	element.querySelector('.button').before(h('details', {}, h('summary', {}, t('watchlist.kinds')), wanted));
	return element;
}

// feeds shows the addresses of the feeds when they are new; the server does not know them later.
function feeds(list) {
	const row = (name, at) => h('div', {class: 'secret'}, h('input', {readonly: true, value: location.origin + at, 'aria-label': name, spellcheck: 'false', onfocus: ({target}) => target.select()}), copyButton(() => location.origin + at));
	const fresh = h('div', {'aria-live': 'polite'});
	return h('details', {}, h('summary', {}, t('watchlist.feeds')), h('p', {class: 'hint'}, t('watchlist.feedsText')), fresh,
		h('p', {}, action(t('watchlist.rotate'), async () => {
			const {data} = await ask(path(list), {method: 'PATCH', body: {rotateFeeds: true}});
			fresh.replaceChildren(row('Atom', data.feeds.atom), row('JSON Feed', data.feeds.json));
		})));
}

// adding accepts numbers that are typed, pasted from a column of a table, or in a file.
function adding(list, done) {
	const told = h('div', {'aria-live': 'polite'});
	const send = async (text) => {
		const {data} = await ask(`${path(list)}/companies`, {method: 'POST', ...order(text)});
		told.replaceChildren(outcome(data));
		if (data.added || data.updated) await done();
	};
	const element = form([{name: 'companies', label: t('watchlist.add'), lines: 5, placeholder: '9900000010; SUP-001', hint: t('watchlist.addHint'), spellcheck: 'false'}], t('watchlist.addButton'), async ({companies}, own) => {
		await send(companies);
		own.reset();
	});
	const drop = dropZone({id: 'watchlist-file', label: t('watchlist.file'), hint: t('watchlist.fileHint'), accept: '.csv,.txt,text/csv,text/plain'},
		(file) => send({table: new Blob([file], {type: 'text/csv'})}));
	return h('div', {class: 'card'}, h('h3', {}, t('watchlist.addHeading')), h('p', {class: 'hint'}, t('watchlist.price')), element, drop, told);
}

// order returns the request for the typed text: a line for each company, optionally with a reference. A file is sent
// unchanged.
function order(text) {
	if (text.table !== undefined) return {body: text.table};
	const lines = text.split('\n').map((line) => line.trim()).filter(Boolean);
	if (lines.length > most) return {body: lines.join('\n')};
	return {body: {items: lines.map((line) => {
		const [taxId, ...rest] = line.split(/[\t;,]/).map((part) => part.trim());
		const reference = rest.filter(Boolean).join(' ');
		return reference ? {taxId, reference} : {taxId};
	})}};
}

function outcome({added, updated, unchanged, failed, items}) {
	const bad = items.filter(({problem}) => problem);
	return h('div', {}, h('p', {class: `notice ${failed ? '' : 'good'}`}, t('watchlist.outcome', {added: number(added), updated: number(updated), unchanged: number(unchanged), failed: number(failed)})),
		bad.length ? h('ul', {class: 'results', id: 'refused'}, bad.map(({input, taxId, line, index, problem}) => h('li', {}, h('b', {}, t('watchlist.line', {n: line ?? index + 1}), ' ', h('code', {}, input ?? taxId ?? '')), h('span', {}, explain(problem))))) : null);
}

// fill shows the companies, those with problems first. If only is set, it shows no others.
async function fill(card, list, again, offset = 0, only = false) {
	const {data} = await ask(`/dashboard/watchlists/${encodeURIComponent(list.id)}/companies`, {query: {limit: pageSize, offset, problemsFirst: list.companies <= mostSorted, lang}});
	const total = only ? data.problemCount : data.totalCount;
	const rows = data.items.slice(0, Math.max(0, total - offset)).map((one) => row(one, list, () => changed(card, list, again)));
	if (offset) card.querySelector('tbody').append(...rows);
	else card.replaceChildren(h('h3', {}, plural('monitoring.companies', data.totalCount)), filter(data, only, (wanted) => fill(card, list, again, 0, wanted)), rows.length ? table(rows) : h('p', {class: 'hint'}, t('watchlist.none')));
	card.querySelector('.more')?.remove();
	const shown = offset + rows.length;
	if (shown < total) card.append(h('p', {class: 'more'}, action(t('more'), () => fill(card, list, again, shown, only), 'button quiet small')));
}

// filter returns a choice between all companies and those with problems, or nothing if there are none.
function filter({totalCount, problemCount}, only, choose) {
	const choice = (wanted, text) => h('button', {type: 'button', 'aria-pressed': `${wanted === only}`, onclick: () => choose(wanted)}, text);
	return problemCount ? h('p', {class: 'choices', role: 'group', 'aria-label': t('watchlist.filter')},
		choice(false, t('watchlist.all', {n: number(totalCount)})), choice(true, t('watchlist.problems', {n: number(problemCount)}))) : '';
}

const columns = ['company', 'state', 'checked', 'event'];
const table = (rows) => h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': t('watchlist.table')}, h('table', {class: 'stack'},
	h('thead', {}, h('tr', {}, columns.map((name) => h('th', {scope: 'col'}, t(`watched.${name}`))), h('th', {}, h('span', {class: 'hidden'}, t('watchlist.remove'))))),
	h('tbody', {}, rows)));

function row(company, list, done) {
	const {taxId, name, reference, badges, lastCheckedAt, nextCheckAt, lastEventAt} = company;
	const cell = (column, ...value) => h('td', {'data-label': t(`watched.${column}`)}, h('div', {}, value));
	const moment = (at, none) => at ? h('span', {title: time(at)}, ago(at)) : none;
	return h('tr', {}, cell('company', h('b', {}, name ?? `CUI ${taxId}`), h('span', {class: 'hint'}, h('br'), h('a', {href: `/companies/${taxId}`}, `${taxId}`), reference ? ` · ${reference}` : null)),
		cell('state', h('span', {class: 'badges'}, badges.map(({fact, kind, text}) => h('span', {class: `badge ${kind}`, 'data-fact': fact}, text)))),
		cell('checked', moment(lastCheckedAt, t('watched.never')), nextCheckAt ? h('span', {class: 'hint'}, h('br'), new Date(nextCheckAt) > Date.now() ? t('watched.next', {time: time(nextCheckAt)}) : t('watched.due')) : null),
		cell('event', moment(lastEventAt, '–')),
		h('td', {class: 'number'}, action(t('watchlist.remove'), async () => {
			await ask(`${path(list)}/companies/${taxId}`, {method: 'DELETE'});
			await done();
		}, 'button danger small')));
}
