// API keys: create, list, revoke.

import {ask} from './api.js';
import {h} from './dom.js';
import {confirm, form} from './form.js';
import {copyButton} from './page.js';
import {ago, day, t} from './text.js';

export async function showKeys(body) {
	const made = h('div', {'aria-live': 'polite'});
	const list = h('div', {class: 'card', id: 'key-list'});
	body.append(
		h('div', {class: 'card'}, h('h3', {}, t('keys.new')), h('p', {class: 'hint'}, t('keys.newText')),
			form([{name: 'name', label: t('keys.name'), maxlength: 100, autocomplete: 'off', placeholder: t('keys.example')}], t('keys.create'), async (values, element) => {
				const {data} = await ask('/v1/keys', {method: 'POST', body: values});
				element.reset();
				made.replaceChildren(secret(data));
				made.querySelector('input').select();
				await fill(list);
			}, {inline: true})),
		made, list);
	await fill(list);
}

// secret shows a new key. It cannot be shown again.
function secret({name, key}) {
	return h('div', {class: 'card', id: 'new-key'}, h('h3', {}, t('keys.made', {name})), h('p', {class: 'notice'}, t('keys.once')),
		h('div', {class: 'secret'}, h('input', {readonly: true, value: key, 'aria-label': t('keys.key'), spellcheck: 'false', onfocus: ({target}) => target.select()}), copyButton(() => key)),
		h('p', {class: 'hint'}, t('keys.try')),
		h('div', {class: 'codebox'}, h('pre', {class: 'code', tabindex: '0'}, h('code', {}, command(key))), copyButton(() => command(key))));
}

const command = (key) => `curl -H 'Authorization: Bearer ${key}' ${location.origin}/v1/usage`;

async function fill(list) {
	const {data} = await ask('/v1/keys');
	list.replaceChildren(h('h3', {}, t('keys.list')), data.length ? h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': t('keys.list')}, h('table', {class: 'stack'},
		h('thead', {}, h('tr', {}, ['name', 'key', 'created', 'used'].map((column) => h('th', {scope: 'col'}, t(`keys.${column}`))), h('th', {}, h('span', {class: 'hidden'}, t('keys.revoke'))))),
		h('tbody', {}, data.map((key) => row(key, list))))) : h('p', {class: 'hint'}, t('keys.none')));
}

function row(key, list) {
	const cell = (column, value) => h('td', {'data-label': t(`keys.${column}`)}, value);
	return h('tr', {}, cell('name', h('b', {}, key.name)), cell('key', h('code', {}, `${key.prefix}…${key.last4}`)),
		cell('created', day(key.createdAt.slice(0, 10), {dateStyle: 'medium'})), cell('used', key.lastUsedAt ? ago(key.lastUsedAt) : t('keys.never')),
		h('td', {class: 'number'}, h('button', {type: 'button', class: 'button danger small', 'aria-label': `${t('keys.revoke')}: ${key.name}`, onclick: () =>
			confirm(t('keys.sure', {name: key.name}), t('keys.revoke'), async () => {
				await ask(`/v1/keys/${encodeURIComponent(key.id)}`, {method: 'DELETE'});
				document.getElementById('new-key')?.remove();
				await fill(list);
			})}, t('keys.revoke'))));
}
