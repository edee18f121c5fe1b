// What a company was on a day, what could be known of that on another, and all that is known of its past.

import {ask} from './api.js';
import {h, say} from './dom.js';
import {form} from './form.js';
import {origin} from './origin.js';
import {spoken} from './page.js';
import {day, t, time} from './text.js';

const statuses = ['vatPayer', 'vatOnCollection', 'vatSplit', 'inactive', 'eInvoice'];
const earliest = '1993-07-01'; // registrations for VAT begin
const date = (text) => day(text, {dateStyle: 'medium'});
const today = () => new Date().toLocaleDateString('sv', {timeZone: 'Europe/Bucharest'});

// historyCard asks nothing by itself, unless the address names a day: wanted is {date, knownAt}. beside is given each
// request with its answer.
export function historyCard(cui, wanted, beside, signal) {
	const outcome = h('div', {class: 'onday'});
	const days = {type: 'date', min: earliest, max: today()};
	const asking = form([
		{name: 'date', label: t('onday.date'), value: wanted.date, ...days},
		{name: 'knownAt', label: t('onday.knownAt'), value: wanted.knownAt, required: false, ...days},
	], t('onday.ask'), async (values) => {
		remember(values);
		await showStatus(outcome, cui, values, beside, signal);
	}, {inline: true});
	const card = h('article', {class: 'card', id: 'history'}, h('h3', {}, t('onday.heading')),
		h('p', {class: 'hint'}, t('onday.lead'), ' ', h('a', {href: '/docs/invoice-day'}, t('onday.guide'))), asking, outcome, past(cui, signal));
	if (wanted.date) asking.dispatchEvent(new SubmitEvent('submit', {cancelable: true}));
	return card;
}

// remember puts the days into the address, for others to open.
function remember(values) {
	const here = new URL(location.href);
	for (const name of ['date', 'knownAt']) {
		if (values[name]) here.searchParams.set(name, values[name]);
		else here.searchParams.delete(name);
	}
	history.replaceState(null, '', here);
}

async function showStatus(outcome, cui, values, beside, signal) {
	const {date, knownAt} = values;
	const request = {
		path: `/v1/companies/${encodeURIComponent(cui)}/status`, query: {date, knownAt},
		tool: 'get_company_status', args: {cui, date, knownAt: knownAt || undefined},
	};
	outcome.replaceChildren(h('p', {class: 'hint spin'}, t('answer.loading')));
	try {
		const answer = await ask(request.path, {query: request.query, signal});
		const notices = noticesOf(answer.data);
		outcome.replaceChildren(...shown(answer.data, notices));
		say([titleOf(answer.data), ...statuses.map((status) => `${t(`onday.${status}`)}: ${word(answer.data[status].value)}`), ...notices.map(({text}) => text)].join('. '));
		beside(request, answer);
	} catch (problem) {
		outcome.replaceChildren();
		if (problem.name === 'AbortError') return;
		if (problem.status === undefined || problem.status === 400) throw problem; // the form puts it beside the field
		outcome.append(spoken(problem, () => showStatus(outcome, cui, values, beside, signal)));
	}
}

const word = (value) => t(value == null ? 'onday.unknown' : value ? 'onday.yes' : 'onday.no');
const titleOf = (answer) => [answer.name, day(answer.date)].filter(Boolean).join(' · ');

// noticesOf says in words how what could be known and what the register says now compare.
function noticesOf({date: on, knownAt, now, changedRetroactively: changed, ...then}) {
	if (!knownAt) return [];
	const days = {date: day(on), knownAt: day(knownAt)}, notices = [];
	if (knownAt < on) notices.push({kind: 'plain', text: t('onday.early', days)});
	if (!now) notices.push({kind: '', text: t('onday.noNow')});
	else if (!changed) notices.push({kind: 'plain', text: t('onday.same', days)});
	else {
		const differences = statuses.filter((status) => differs(then[status], now[status]))
			.map((status) => t('onday.difference', {status: t(`onday.${status}`), then: word(then[status].value), now: word(now[status].value)}));
		notices.push({kind: 'bad', text: [t('onday.changed', days), ...differences].join(' ')});
	}
	return notices;
}

const differs = (then, now) => then.value != null && now.value != null && then.value !== now.value;

function shown(answer, notices) {
	const open = statuses.some((status) => answer[status].value == null);
	return [
		h('h4', {}, titleOf(answer)),
		...notices.map(({kind, text}) => h('p', {class: `notice ${kind}`, 'data-changed': kind === 'bad'}, text)),
		comparison(answer),
		open ? h('p', {class: 'hint'}, t('onday.unknownHint')) : '',
		answer.receipt ? receipt(answer.receipt) : '',
		h('ul', {class: 'origins'}, answer.sources.map((source) => origin(source.name, source))),
	];
}

// comparison is a table with a row for each status; with knownAt, one column for what could be known and one for now.
function comparison({date: on, knownAt, now, ...then}) {
	const columns = [{title: knownAt ? t('onday.then', {date: date(knownAt)}) : t('onday.on', {date: date(on)}), of: then}];
	if (now) columns.push({title: t('onday.now'), of: now});
	const row = (status) => h('tr', {'data-status': status}, h('th', {scope: 'row'}, t(`onday.${status}`)),
		columns.map(({title, of}) => h('td', {'data-label': title}, h('div', {}, told(status, of[status])))));
	return h('table', {class: 'stack'},
		h('thead', {}, h('tr', {}, [t('onday.status'), ...columns.map(({title}) => title)].map((title) => h('th', {scope: 'col'}, title)))),
		h('tbody', {}, statuses.map(row)));
}

// told is what one column says of a status.
function told(status, {value, from, to, enteredOn, reason, basis}) {
	const span = spanOf(from, to);
	return [
		badge(status, value, from),
		span && line(value ? span : t('onday.last', {span: span[0].toLowerCase() + span.slice(1)})),
		enteredOn && line(t('onday.entered', {date: date(enteredOn)})),
		reason && line(h('span', {lang: 'ro'}, reason)),
		basis && line(t(`onday.${basis}`)),
	];
}

const line = (...children) => h('p', {class: 'hint'}, children);

// badge is a value as a word with a sign. Inactive, or no longer registered for VAT, is bad.
function badge(status, value, from) {
	const bad = value === true && status === 'inactive' || value === false && status === 'vatPayer' && from;
	return h('b', {class: `badge ${value == null ? 'unknown' : value ? 'yes' : 'no'} ${bad ? 'bad' : ''}`}, word(value));
}

function spanOf(from, to) {
	if (!from && !to) return '';
	return t(!to ? 'onday.since' : from ? 'onday.span' : 'onday.until', {from: from && date(from), to: to && date(to)});
}

// receipt offers the proof of the answer. A link alone cannot ask for the form to print.
function receipt(id) {
	const path = `/v1/receipts/${encodeURIComponent(id)}`;
	const failed = h('span', {role: 'alert', class: 'error'});
	const download = async () => {
		failed.textContent = '';
		const response = await fetch(path, {headers: {Accept: 'application/pdf'}}).catch(() => null);
		if (!response?.ok) {
			failed.textContent = t(response ? 'problem.strange' : 'problem.offline', {status: response?.status});
			return;
		}
		const file = URL.createObjectURL(await response.blob());
		h('a', {href: file, download: `${id}.pdf`}).click();
		URL.revokeObjectURL(file);
	};
	return h('p', {class: 'actions'}, h('button', {type: 'button', class: 'button quiet small', onclick: download}, t('onday.pdf')),
		h('a', {href: path}, t('onday.receipt')), failed);
}

// past is the history, which is asked for when it is opened.
function past(cui, signal) {
	const list = h('ul', {class: 'results'}), more = h('div'), origins = h('ul', {class: 'origins'});
	const load = async (cursor) => {
		more.replaceChildren(h('p', {class: 'hint spin'}, t('answer.loading')));
		try {
			const {data} = await ask(`/v1/companies/${encodeURIComponent(cui)}/history`, {query: {cursor}, signal});
			const items = data.facts.map(item);
			list.append(...items);
			origins.replaceChildren(...data.sources.map((source) => origin(source.name, source)));
			more.replaceChildren(data.next ? h('button', {type: 'button', class: 'button quiet small', onclick: () => load(data.next)}, t('onday.older')) : '');
			if (!list.firstChild) more.replaceChildren(h('p', {class: 'hint'}, t('onday.none')));
			if (cursor) items[0]?.focus();
		} catch (problem) {
			if (problem.name !== 'AbortError') more.replaceChildren(spoken(problem, () => load(cursor)));
		}
	};
	const details = h('details', {ontoggle: () => {
		if (details.open && !list.firstChild && !more.firstChild) load();
	}}, h('summary', {}, t('onday.history')), h('p', {class: 'hint'}, t('onday.historyHint')), list, more, origins);
	return details;
}

// item is a fact: what was true when, and since when that is known.
function item({field, value, validFrom, validTo, recordedOn, reason, learnedAt, lostAt, source}) {
	const shown = typeof value === 'boolean' ? badge(field, value, validFrom) : h('p', {}, t(`state.${value}`, {}, value));
	const when = [spanOf(validFrom, validTo), recordedOn && t('onday.entered', {date: date(recordedOn)})].filter(Boolean).join(' · ');
	const known = [learnedAt && t('onday.learned', {time: time(learnedAt)}), lostAt && t('onday.lost', {time: time(lostAt)}), t(`registry.${source}`, {}, source)].filter(Boolean).join(' · ');
	return h('li', {tabindex: '-1', 'data-field': field}, h('b', {}, t(`onday.${field}`)), ' ', shown, when && h('p', {}, when), reason && h('p', {lang: 'ro'}, reason), h('p', {class: 'hint'}, known));
}
