// What every page does: copy buttons, a word when the network is gone, and a
// change of language that keeps the address.

import {h, id} from './dom.js';
import {t} from './text.js';
import './validity.js';
import {wrong} from './wrong.js';

// copyButton puts what a function gives into the clipboard.
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

// spoken makes a notice of a problem, with a button to try again where that helps.
export function spoken(problem, again) {
	const remedy = problem.status === 0 || problem.status === 429 || problem.status >= 500;
	return h('div', {class: `notice ${remedy ? '' : 'bad'}`, role: 'alert'},
		problem.status ? [h('p', {}, h('b', {}, t(`kind.${problem.kind}`, {}, problem.title))), explained(problem)] : h('p', {}, problem.message),
		remedy && again ? h('p', {}, h('button', {type: 'button', class: 'link', onclick: again}, t('again'))) : null);
}

// explained says what is wrong with each input; other details are in English.
function explained(problem) {
	const errors = (problem.errors ?? []).map(wrong);
	if (!errors.length || errors.some(({sentence}) => !sentence)) return h('p', {lang: 'en'}, problem.message);
	return errors.map(({sentence, accepted, lang}) => h('p', {}, sentence, ' ', h('span', {lang}, accepted)));
}

for (const code of document.querySelectorAll('pre')) {
	const box = h('div', {class: 'codebox'});
	code.replaceWith(box);
	code.tabIndex = 0;
	box.append(code, copyButton(() => commandOf(code)));
}

// commandOf is what there is to copy: of a console, only what is typed into it.
function commandOf(code) {
	const text = code.innerText.trimEnd(); // without what is hidden
	return code.querySelector('.language-console') ? text.split('\n').filter((line) => line.startsWith('$ ')).map((line) => line.slice(2)).join('\n') : text;
}

const language = document.querySelector('a.language');
language.addEventListener('click', () => {
	const here = new URL(location.href);
	here.searchParams.set('lang', language.lang);
	language.href = here.href;
});

// The choice is remembered by a cookie: the address need not go on saying it.
if (new URLSearchParams(location.search).has('lang')) {
	const here = new URL(location.href);
	here.searchParams.delete('lang');
	history.replaceState(null, '', here);
}

const network = () => { id('offline').hidden = navigator.onLine; };
addEventListener('online', network);
addEventListener('offline', network);
network();

// A slash leads to the search of the documentation, except where people write.
addEventListener('keydown', (event) => {
	const find = id('find');
	if (!find || event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select')) return;
	event.preventDefault();
	find.focus();
});
