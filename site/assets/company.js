// Additions to a company's pages by scripts: copy buttons, printing, and the watch-list.

import {ask} from './api.js';
import {h, id} from './dom.js';
import {action} from './form.js';
import './page.js';
import {t} from './text.js';
import {explain} from './wrong.js';

document.documentElement.classList.add('scripted');

const said = (...children) => id('told').replaceChildren(...children.flat());

for (const button of document.querySelectorAll('[data-copy]')) {
	button.addEventListener('click', async () => {
		try {
			await navigator.clipboard.writeText(button.dataset.copy);
			button.classList.add('done');
			said(t('copy.done'));
		} catch {
			said(t('copy.failed'));
		}
		setTimeout(() => {
			button.classList.remove('done');
			said();
		}, 2000);
	});
}

document.querySelector('[data-print]')?.addEventListener('click', () => print());

const watch = document.querySelector('[data-watch]');
watch?.addEventListener('click', async () => {
	watch.disabled = true;
	try {
		await choose(watch.dataset.watch);
	} catch (problem) {
		if (problem.status === 401) return location.assign(`/dashboard/sign-in?${new URLSearchParams({return: location.pathname})}`);
		if (problem.status === undefined) throw problem;
		said(problem.message);
	} finally {
		watch.disabled = false;
	}
});

// choose adds the company to the visitor's watch-list. If there is none, it creates one; if there are several, it asks
// for one.
async function choose(cui) {
	const {data: lists} = await ask('/v1/watchlists');
	if (!lists.length) lists.push((await ask('/v1/watchlists', {method: 'POST', body: {name: t('company.firstList')}})).data);
	if (lists.length === 1) return add(cui, lists[0]);
	const select = h('select', {'aria-label': t('company.watchIn')}, lists.map((list) => h('option', {value: list.id}, list.name)));
	said(select, action(t('watchlist.addButton'), () => add(cui, lists.find((list) => list.id === select.value)), 'button small'));
}

async function add(cui, list) {
	const {data} = await ask(`/v1/watchlists/${encodeURIComponent(list.id)}/companies`, {method: 'POST', body: {items: [{taxId: cui}]}});
	const refused = data.items.find(({problem}) => problem)?.problem;
	if (refused) return said(explain(refused));
	said(t('company.watched', {list: list.name}), ' ', h('a', {href: `/dashboard/monitoring?${new URLSearchParams({list: list.id})}#digest`}, t('company.digest')));
}
