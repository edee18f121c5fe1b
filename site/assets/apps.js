// The programs that are authorized to use the account: list and revoke.

import {ask} from './api.js';
import {h} from './dom.js';
import {confirm, reason} from './form.js';
import {ago, t} from './text.js';

const path = '/api/auth/oauth2/grants';

// fillApps lists the programs in a card.
export async function fillApps(card) {
	card.replaceChildren(h('h3', {}, t('apps.heading')), h('p', {class: 'hint'}, t('apps.text')));
	try {
		const {items} = (await ask(path)).data;
		card.append(items.length ? h('ul', {class: 'results'}, items.map((app) => row(app, card))) : h('p', {}, t('apps.none')));
	} catch (problem) {
		if (problem.status === undefined) throw problem; // a bug of this page
		card.append(h('p', {class: 'hint'}, reason(problem)));
	}
}

function row({id, name, host, scope, createdAt, lastUsedAt}, card) {
	const used = lastUsedAt ? t('apps.used', {ago: ago(lastUsedAt)}) : t('apps.unused');
	const end = () => confirm(t('apps.sure', {name}), t('apps.end'), async () => {
		await ask(`${path}/${encodeURIComponent(id)}`, {method: 'DELETE'});
		await fillApps(card);
	});
	const facts = [host ?? t('apps.local'), scope.includes('rodata:watch') && t('apps.watches'), t('apps.since', {ago: ago(createdAt)}), used];
	return h('li', {}, h('div', {class: 'row'},
		h('div', {}, h('b', {}, name), h('span', {}, facts.filter(Boolean).join(' · '))),
		h('button', {type: 'button', class: 'button danger small', 'aria-label': `${t('apps.end')}: ${name}`, onclick: end}, t('apps.end'))));
}
