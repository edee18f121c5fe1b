// The jobs of an account: their progress and their files.

import {ask} from './api.js';
import {h, say} from './dom.js';
import {confirm} from './form.js';
import {problemNotice} from './page.js';
import {ago, day, hour, lasting, number, plural, t, time} from './text.js';
import {explain} from './wrong.js';

const often = 2000, seldom = 15000; // milliseconds between two refreshes, while the page is visible and hidden
const formats = {xlsx: 'XLSX', csv: 'CSV', ndjson: 'NDJSON', parquet: 'Parquet'};
const colours = {queued: '', running: '', completed: 'good', failed: 'bad', cancelled: 'unknown'};
const goesOn = ({status}) => status === 'queued' || status === 'running';

// followJobs returns a function that lists the jobs in a card. It then refreshes the list while a job is running and the
// card is shown.
export function followJobs(card) {
	const items = new Map(), list = h('ul', {class: 'results'}), none = h('p', {class: 'hint'}, t('jobs.none')), told = h('div');
	let timer;
	const refresh = async () => {
		clearTimeout(timer);
		const {data} = await ask('/v1/jobs');
		told.replaceChildren();
		for (const job of data) {
			if (!items.has(job.id)) items.set(job.id, jobItem(job, refresh));
			items.get(job.id).update(job);
		}
		const shown = data.map(({id}) => items.get(id).element);
		if (shown.length !== list.children.length || shown.some((element, i) => element !== list.children[i])) list.replaceChildren(...shown);
		none.hidden = data.length > 0;
		if (data.some(goesOn)) timer = setTimeout(again, document.hidden ? seldom : often);
	};
	const again = async () => {
		if (!card.isConnected) return;
		try {
			await refresh();
		} catch (problem) {
			if (problem.status === undefined) throw problem;
			told.replaceChildren(problemNotice(problem, again));
			if (problem.status !== 401) timer = setTimeout(again, seldom);
		}
	};
	none.hidden = true;
	card.replaceChildren(h('h3', {}, t('jobs.heading')), told, none, list);
	return refresh;
}

// jobItem is a job in the list. An update changes only what differs, so the focus is kept.
export function jobItem({id, name: given, column, createdAt}, refresh) {
	const path = `/v1/jobs/${encodeURIComponent(id)}`, name = given ?? t('jobs.unnamed', {column});
	const badge = h('span'), bar = h('progress', {'aria-label': name}), far = h('span'), counts = h('span'), wrong = h('div'), actions = h('p', {class: 'actions'});
	const about = h('span', {title: time(createdAt)});
	let shown, ready;
	const update = (job) => {
		const on = goesOn(job);
		bar.max = Math.max(1, job.total);
		bar.value = job.done;
		bar.hidden = !on;
		far.textContent = on ? [plural('jobs.done', job.total, {done: number(job.done)}), job.retryAt ? plural('jobs.retrying', job.retrying, {time: hour(job.retryAt)}) : job.etaSeconds === null ? t('jobs.noTime') : t('jobs.left', {time: lasting(job.etaSeconds)})].join(' · ') : plural('jobs.rows', job.total);
		counts.textContent = t('jobs.counts', {found: number(job.found), notFound: number(job.notFound), invalid: number(job.invalid), blank: number(job.blank), failed: number(job.failed)});
		about.textContent = [t('jobs.column', {column: job.column}), t('jobs.created', {ago: ago(job.createdAt)}), plural('jobs.credits', job.creditsCost), job.expiresAt ? t('jobs.until', {date: day(job.expiresAt.slice(0, 10))}) : null].filter(Boolean).join(' · ');
		if (on && job.done !== ready) actions.replaceChildren(...job.done ? [partial(path, name, job.done)] : [], cancel(path, name, refresh));
		ready = job.done;
		if (job.status === shown) return;
		if (shown) say(`${name}: ${t(`job.${job.status}`)}`);
		shown = job.status;
		badge.className = `badge ${colours[shown]}`;
		badge.textContent = t(`job.${shown}`);
		wrong.replaceChildren(job.problem ? h('p', {class: 'error'}, explain(job.problem)) : '');
		if (!on) actions.replaceChildren(...job.verdicts && location.pathname !== '/check' ? [problems(id, name)] : [], ...downloads(path, name));
	};
	return {update, element: h('li', {'data-job': id}, h('div', {class: 'row'}, h('b', {class: 'address'}, name), badge), bar, far, counts, about, wrong, actions)};
}

const cancel = (path, name, refresh) => h('button', {type: 'button', class: 'button danger small', 'aria-label': `${t('jobs.cancel')}: ${name}`, onclick: () =>
	confirm(t('jobs.sure', {name}), t('jobs.cancel'), async () => {
		await ask(path, {method: 'DELETE'});
		await refresh();
	})}, t('jobs.cancel'));

// partial downloads the rows that are ready while others are looked up or tried again.
const partial = (path, name, done) => {
	const label = t('jobs.partial', {done: number(done)});
	return h('a', {class: 'button quiet small', href: `${path}/result?format=xlsx&partial=true`, download: true, 'aria-label': `${label}: ${name}`}, label);
};

const problems = (id, name) => h('a', {class: 'button small', href: `/check?job=${encodeURIComponent(id)}`, 'aria-label': `${t('jobs.problems')}: ${name}`}, t('jobs.problems'));

const downloads = (path, name) => Object.entries(formats).map(([format, label], i) =>
	h('a', {class: `button ${i ? 'quiet ' : ''}small`, href: `${path}/result?format=${format}`, download: true, 'aria-label': `${t('jobs.download')} ${label}: ${name}`}, label));
