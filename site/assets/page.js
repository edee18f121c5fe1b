// The script of every page: copy buttons, an offline notice, and a language link that keeps the address.

import {h, id} from './dom.js';
import {t} from './text.js';
import './validity.js';

// copyButton creates a button that copies the result of text().
export function copyButton(text, label = t('copy')) {
	return h('button', {type: 'button', class: 'button quiet small copy', onclick: async ({target}) => {
		try {
			await navigator.clipboard.writeText(text());
			target.textContent = t('copy.done');
		} catch {
			target.textContent = t('copy.failed');
		}
		setTimeout(() => { target.textContent = label; }, 2000);
	}}, label);
}

// isTemporary reports whether the same request can succeed later.
export const isTemporary = ({status}) => status === 0 || status === 429 || status >= 500;

// problemNotice creates a notice about a problem, with a button to try again if that can help.
export function problemNotice(problem, again) {
	const temporary = isTemporary(problem);
	return h('div', {class: `notice ${temporary ? '' : 'bad'}`, role: 'alert'},
		t(`kind.${problem.kind}`, {}, '') ? h('p', {}, h('b', {}, t(`kind.${problem.kind}`))) : null, h('p', {}, problem.message),
		temporary && again ? h('p', {}, h('button', {type: 'button', class: 'link', onclick: again}, t('again'))) : null);
}

for (const code of document.querySelectorAll('pre')) {
	const box = h('div', {class: 'codebox'});
	code.replaceWith(box);
	code.tabIndex = 0;
	box.append(code, copyButton(() => commandOf(code)));
}

// commandOf returns the text to copy. For a console, that is only the commands.
function commandOf(code) {
	const text = code.innerText.trimEnd(); // without hidden text
	return code.querySelector('.language-console') ? text.split('\n').filter((line) => line.startsWith('$ ')).map((line) => line.slice(2)).join('\n') : text;
}

const language = document.querySelector('a.language');
language.addEventListener('click', () => {
	const here = new URL(location.href);
	here.searchParams.set('lang', language.lang);
	language.href = here.href;
});

// A cookie remembers the choice, so the address no longer needs the parameter.
if (new URLSearchParams(location.search).has('lang')) {
	const here = new URL(location.href);
	here.searchParams.delete('lang');
	history.replaceState(null, '', here);
}

const network = () => { id('offline').hidden = navigator.onLine; };
addEventListener('online', network);
addEventListener('offline', network);
network();

// A slash focuses the search of the documentation, except in inputs.
addEventListener('keydown', (event) => {
	const find = id('find');
	if (!find || event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select')) return;
	event.preventDefault();
	find.focus();
});
