// The check of suppliers: a list is chosen, and its problems are shown. Without an account, its first rows are checked.

import {ask} from './api.js';
import {h, id, say} from './dom.js';
import {action} from './form.js';
import {jobItem} from './jobs.js';
import {listSource, orderList} from './order.js';
import {problemNotice} from './page.js';
import {number, plural, t} from './text.js';
import {verdictRow, verdictTable, taxIDIn} from './verdicts.js';

const fields = ['taxId', 'name', 'vatPayer'];
const free = 20; // rows that are checked without an account
const most = 5000; // rows of a list that the page shows
const often = 1000, seldom = 15000; // milliseconds between two refreshes, while the page is visible and hidden
const keptFile = 'check.file', mostKept = 2 << 20;

const chosen = h('div', {id: 'chosen'}), result = h('section', {id: 'result', 'aria-labelledby': 'result-heading'});
let turn = 0; // the number of the latest list; an earlier one no longer changes the page

async function begin() {
	const account = (await ask('/api/auth/get-session')).data;
	const take = (file) => {
		turn++;
		result.replaceChildren();
		return orderList(file, chosen, {heading: 'h2', ...account ? {started: showJob} : {guest: true, previewed: (data, date, signal) => checkFirst(file, data, date, signal)}});
	};
	id('check').replaceChildren(...listSource(take), chosen);
	id('check').after(result);
	const job = new URLSearchParams(location.search).get('job'), file = restore();
	if (account && job) return show(job);
	if (account && file) return take(file);
}

// checkFirst looks up the first rows of a previewed list, for a visitor without an account.
async function checkFirst(file, {columns, column, dateColumn, firstRows, rowNumbers, total, creditsReserved}, date, signal) {
	const at = columns.indexOf(column), dateAt = columns.indexOf(dateColumn);
	const rows = firstRows.slice(0, free).map((cells) => ({number: taxIDIn(cells[at]), date: cells[dateAt]?.trim() || date}));
	const items = rows.filter(({number}) => number).map(({number, date}) => date ? {taxId: number, date} : {taxId: number});
	const {data} = items.length ? await ask('/v1/companies/batch', {method: 'POST', body: {items, view: 'verdict', fields}, signal}) : {data: {items: []}};
	const keep = await keeper(file), found = data.items[Symbol.iterator]();
	const judged = rows.map(({number}, i) => verdictRow(rowNumbers[i], number, number ? found.next().value : {}));
	result.replaceChildren(heading(), verdictTable(judged), h('div', {class: 'card'},
		h('p', {}, total > rows.length ? t('check.first', {rows: number(rows.length), total: number(total)}) : t('check.all'), ' ', plural('check.account', creditsReserved)),
		h('p', {class: 'actions'}, h('a', {class: 'button', href: '/dashboard/sign-up?return=/check', onclick: keep}, t('gate.signUp')),
			' ', h('a', {href: '/dashboard/sign-in?return=/check', onclick: keep}, t('gate.signIn')), ' ', h('a', {href: '/dashboard/plans'}, t('nav.plans')))));
	say(result.querySelector('.summary').textContent);
}

const heading = () => h('h2', {id: 'result-heading', tabindex: '-1'}, t('check.result'));

// showJob shows the result of a list of the account, under an address of its own.
async function showJob({id}) {
	const here = new URL(location.href);
	here.searchParams.set('job', id);
	history.replaceState(null, '', here);
	await show(id);
}

// show follows a job, and shows the rows that are ready.
async function show(job) {
	const mine = ++turn, path = `/v1/jobs/${encodeURIComponent(job)}`;
	const table = h('div'), told = h('div'), watch = h('div'), progress = h('ul', {class: 'results', id: 'jobs'});
	let item, ready = -1, timer;
	const refresh = async () => {
		clearTimeout(timer);
		if (mine !== turn) return;
		try {
			const {data} = await ask(path);
			if (!item) progress.append((item = jobItem(data, refresh)).element);
			item.update(data);
			told.replaceChildren();
			if (data.done !== ready) {
				table.replaceChildren(...await rowsOf(path, data, watch));
				ready = data.done;
				say(table.textContent ? table.querySelector('.summary').textContent : '');
			}
			if (!data.completedAt) timer = setTimeout(refresh, document.hidden ? seldom : often);
		} catch (problem) {
			if (problem.status === undefined) throw problem;
			told.replaceChildren(problemNotice(problem, refresh));
			if (problem.status !== 401 && problem.status !== 404) timer = setTimeout(refresh, seldom);
		}
	};
	result.replaceChildren(heading(), told, table, watch, progress);
	await refresh();
	result.querySelector('h2').focus({preventScroll: true});
	result.scrollIntoView();
}

// rowsOf returns the rows of a job that are ready as a table, and only their numbers if they are too many.
async function rowsOf(path, job, watch) {
	if (!job.done) return [];
	if (job.total > most) {
		const {stop = 0, attention = 0, incomplete = 0, clear = 0} = job.verdicts ?? {};
		const counts = {problem: stop + job.notFound, attention, unknown: incomplete + job.failed, invalid: job.invalid, blank: job.blank, clear};
		return [verdictTable([], counts), h('p', {class: 'hint'}, t('check.many'))];
	}
	const {data} = await ask(`${path}/result`, {query: {format: 'ndjson', partial: true}, file: true});
	const lines = (await data.text()).trimEnd().split('\n').map((line) => JSON.parse(line)).filter(({status}) => status !== null);
	const rows = lines.map((line) => verdictRow(line.row ?? line.index + 1, taxIDIn(line.input[job.column]), line));
	const found = [...new Set(rows.filter(({company}) => company).map(({taxId}) => taxId))];
	watch.replaceChildren(found.length && job.completedAt ? watching(job, found) : '');
	return [verdictTable(rows)];
}

// watching offers to watch the companies that were found. The watch-list has the name of the list.
function watching(job, found) {
	const name = (job.name ?? t('jobs.unnamed', job)).replace(/\.\w+$/, '').slice(0, 100), told = h('p', {role: 'status'});
	return h('div', {class: 'card'}, h('p', {}, plural('check.watchText', found.length)), h('p', {}, action(t('check.watch'), async () => {
		const {data} = await ask('/v1/watchlists');
		const list = data.find((one) => one.name === name) ?? (await ask('/v1/watchlists', {method: 'POST', body: {name}})).data;
		const {data: {added, unchanged, failed}} = await ask(`/v1/watchlists/${encodeURIComponent(list.id)}/companies`, {method: 'POST', body: found.join('\n')});
		told.replaceChildren(t('check.watched', {name, found: number(added + unchanged), failed: number(failed)}), ' ', h('a', {href: '/dashboard/monitoring'}, t('dashboard.monitoring')));
	}, 'button')), told);
}

// keeper returns a function that stores the file in the tab while the visitor creates an account. It does not wait,
// because the page is being left. restore takes the file out.
async function keeper(file) {
	const url = await new Promise((resolve) => {
		const reader = new FileReader();
		reader.onload = () => resolve(reader.result);
		reader.readAsDataURL(file);
	});
	return () => file.size <= mostKept && sessionStorage.setItem(keptFile, JSON.stringify([file.name, url.split(',').pop()]));
}

function restore() {
	const kept = sessionStorage.getItem(keptFile);
	if (!kept) return null;
	sessionStorage.removeItem(keptFile);
	const [name, text] = JSON.parse(kept);
	return new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name);
}

begin().catch((problem) => {
	if (problem.status === undefined) throw problem;
	id('check').replaceChildren(problemNotice(problem, () => location.reload()));
});
