// Monitoring: watch-lists, their events, and webhooks.

import {ask} from './api.js';
import {h} from './dom.js';
import {form} from './form.js';
import {showEvents} from './events.js';
import {problemNotice} from './page.js';
import {plural, t} from './text.js';
import {showWatchlist} from './watchlist.js';
import {showWebhooks} from './webhooks.js';

// kinds are the kinds of events of a watched company.
export const kinds = ['company.vat.registered', 'company.vat.cancelled', 'company.vat_on_collection.started', 'company.vat_on_collection.ended',
	'company.inactive.declared', 'company.inactive.lifted', 'company.e_invoice.registered', 'company.e_invoice.removed', 'company.state.changed',
	'company.name.changed', 'company.seat.changed', 'company.fiscal_domicile.changed', 'company.activity.changed', 'company.contact.changed',
	'company.statement.filed', 'company.unknown', 'watchlist.unpaid', 'company.seat.expired', 'company.seat.renewed',
	'company.statement.absent'];

export async function showMonitoring(body) {
	const lists = h('div', {class: 'card', id: 'watchlists'}), chosen = h('div', {id: 'watchlist'}), events = h('div', {class: 'card', id: 'events'}), hooks = h('div', {class: 'card', id: 'webhooks'});
	body.append(h('p', {class: 'hint'}, t('monitoring.text')), lists, chosen);
	const all = await fill(lists, chosen, new URLSearchParams(location.search).get('list'));
	await Promise.all([part(events, () => showEvents(events, all)), part(hooks, () => showWebhooks(hooks, all))]);
	body.append(events, hooks);
	if (location.hash === '#digest') body.querySelector('[name=digest]')?.focus();
}

// part shows one part of the page; errors of other parts do not affect it.
async function part(card, show) {
	try {
		await show();
	} catch (problem) {
		if (problem.status === undefined || problem.status === 401) throw problem;
		card.replaceChildren(problemNotice(problem, () => part(card, show)));
	}
}

// fill lists the watch-lists and shows the one with an id, or otherwise the first. With counts only, it updates the
// numbers and leaves the shown list unchanged.
async function fill(card, chosen, id, counts = false) {
	const {data: all} = await ask('/v1/watchlists');
	const one = all.find((list) => list.id === id) ?? all[0];
	const again = (next, only) => fill(card, chosen, next, only);
	const make = form([{name: 'name', label: t('monitoring.newList'), maxlength: 100, autocomplete: 'off', placeholder: t('monitoring.example')}], t('monitoring.create'), async (values) => {
		const {data} = await ask('/v1/watchlists', {method: 'POST', body: values});
		await again(data.id);
	}, {inline: true});
	card.replaceChildren(h('h3', {}, t('monitoring.lists')),
		all.length ? h('p', {class: 'choices', role: 'group', 'aria-label': t('monitoring.lists')}, all.map((list) =>
			h('button', {type: 'button', 'aria-pressed': `${list === one}`, onclick: () => again(list.id)}, list.name, ' · ', plural('monitoring.companies', list.companies)))) : h('p', {class: 'hint'}, t('monitoring.none')),
		make);
	if (counts) return all;
	if (one) {
		const here = new URL(location.href);
		here.searchParams.set('list', one.id);
		history.replaceState(null, '', here);
		await showWatchlist(chosen, one, again);
	} else chosen.replaceChildren();
	return all;
}
