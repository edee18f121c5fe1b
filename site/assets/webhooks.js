// Webhooks: create, test, disable; deliveries and the reasons for failed ones.

import {ask} from './api.js';
import {h} from './dom.js';
import {action, confirm, form} from './form.js';
import {copyButton} from './page.js';
import {ago, lang, t, time} from './text.js';

const path = (id) => `/v1/webhooks/${encodeURIComponent(id)}`;

export async function showWebhooks(card, lists) {
	const made = h('div', {'aria-live': 'polite'}), all = h('div');
	const refresh = () => fill(all, lists, refresh, made);
	card.replaceChildren(h('h3', {}, t('webhooks.heading')), h('p', {class: 'hint'}, t('webhooks.text')),
		form([
			{name: 'url', label: t('webhooks.url'), type: 'url', maxlength: 2000, autocomplete: 'off'},
			{name: 'watchlist', label: t('webhooks.watchlist'), value: '', required: false, options: [['', t('webhooks.every')], ...lists.map(({id, name}) => [id, name])]},
		], t('webhooks.create'), async ({url, watchlist}, element) => {
			const {data} = await ask('/v1/webhooks', {method: 'POST', body: watchlist ? {url, watchlists: [watchlist]} : {url}});
			element.reset();
			made.replaceChildren(secret(data.secret));
			made.querySelector('input').select();
			await refresh();
		}),
		made, all);
	await refresh();
}

// secret shows the signing key. It cannot be shown again.
function secret(text) {
	return h('div', {id: 'webhook-secret'}, h('p', {class: 'notice'}, t('webhooks.once')),
		h('div', {class: 'secret'}, h('input', {readonly: true, value: text, 'aria-label': t('webhooks.secret'), spellcheck: 'false', onfocus: ({target}) => target.select()}), copyButton(() => text)));
}

async function fill(place, lists, refresh, made) {
	const {data} = await ask('/v1/webhooks');
	place.replaceChildren(data.webhooks.length ? h('ul', {class: 'results', id: 'webhook-list'}, data.webhooks.map((one) => item(one, lists, refresh, made))) : h('p', {class: 'hint'}, t('webhooks.none')));
}

function item(one, lists, refresh, made) {
	const told = h('div', {role: 'status'}), sent = h('div', {class: 'deliveries'});
	const active = one.state === 'active';
	const which = one.watchlists ? one.watchlists.map((id) => lists.find((list) => list.id === id)?.name ?? id).join(', ') : t('webhooks.every');
	const test = async () => {
		const {data} = await ask(`${path(one.id)}/test`, {method: 'POST', body: {}});
		told.replaceChildren(h('p', {class: `notice ${data.delivered ? 'good' : 'bad'}`}, data.delivered ? t('webhooks.tested', {status: data.status, ms: data.durationMs}) : [t('webhooks.failed'), ' ', failed(data.status, data.failure)]));
	};
	return h('li', {}, h('div', {class: 'row'}, h('b', {class: 'address'}, one.url), h('span', {class: `badge ${active ? one.failingSince ? 'warn' : 'good' : 'bad'}`}, t(`webhook.${active ? one.failingSince ? 'failing' : 'active' : 'disabled'}`))),
		h('span', {}, [which, one.reason ? t(`webhook.${one.reason}`) : null, one.failingSince ? t('webhooks.failingSince', {ago: ago(one.failingSince)}) : null].filter(Boolean).join(' · ')),
		h('p', {class: 'actions'}, action(t('webhooks.test'), test, 'button quiet small'),
			action(t('webhooks.deliveries'), () => deliveries(sent, one.id), 'button quiet small'),
			action(t('webhooks.rotate'), async () => {
				const {data} = await ask(`${path(one.id)}/rotate`, {method: 'POST', body: {}});
				made.replaceChildren(secret(data.secret));
				made.querySelector('input').select();
			}, 'button quiet small'),
			action(t(active ? 'webhooks.pause' : 'webhooks.enable'), async () => {
				await ask(path(one.id), {method: 'PATCH', body: {state: active ? 'disabled' : 'active'}});
				await refresh();
			}, 'button quiet small'),
			h('button', {type: 'button', class: 'button danger small', 'aria-label': `${t('webhooks.delete')}: ${one.url}`, onclick: () => confirm(t('webhooks.sure', {url: one.url}), t('webhooks.delete'), async () => {
				await ask(path(one.id), {method: 'DELETE'});
				await refresh();
			})}, t('webhooks.delete'))),
		told, sent);
}

// deliveries lists the deliveries, newest first, with the reasons for failed ones.
async function deliveries(place, id, before) {
	const {data} = await ask(`${path(id)}/deliveries`, {query: {limit: 10, before}});
	const rows = data.items.map((one) => delivery(one, id, () => deliveries(place, id)));
	if (!before) place.replaceChildren(h('h4', {}, t('webhooks.deliveries')), rows.length ? h('ul', {class: 'results'}) : h('p', {class: 'hint'}, t('webhooks.nothing')));
	place.querySelector('.more')?.remove();
	place.querySelector('ul')?.append(...rows);
	if (data.hasMore) place.append(h('p', {class: 'more'}, action(t('more'), () => deliveries(place, id, data.nextCursor), 'button quiet small')));
}

// failed says why an attempt failed. The API's reason is English.
const failed = (status, failure) => lang === 'en' ? failure : t(status ? 'webhooks.refused' : 'webhooks.unanswered', {status});

const colours = {pending: '', delivered: 'good', failed: 'bad'};

function delivery({event, type, taxId, state, tries, lastTryAt, nextTryAt, lastStatus, failure}, id, refresh) {
	const answer = lastStatus ? t('webhooks.status', {status: lastStatus}) : null;
	return h('li', {}, h('div', {class: 'row'}, h('b', {}, t(`event.${type}`, {}, type), taxId ? ` · ${taxId}` : null), h('span', {class: `badge ${state === 'pending' && failure ? 'warn' : colours[state]}`}, t(`delivery.${state}`))),
		failure ? h('p', {class: 'error'}, failed(lastStatus, failure)) : null,
		h('span', {}, [lastTryAt ? time(lastTryAt) : null, answer, t('webhooks.tries', {n: tries}), nextTryAt ? t('webhooks.next', {time: time(nextTryAt)}) : null].filter(Boolean).join(' · ')),
		h('span', {}, h('code', {}, event)),
		h('p', {}, action(t('webhooks.retry'), async () => {
			await ask(`${path(id)}/deliveries/${encodeURIComponent(event)}/retry`, {method: 'POST', body: {}});
			await refresh();
		}, 'button quiet small')));
}
