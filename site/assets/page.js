// What every page does: copy buttons, a word when the network is gone, and a
// change of language that keeps the address.

import {h, id} from './dom.js';
import {t} from './text.js';

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
		problem.status ? [h('p', {}, h('b', {}, t(`kind.${problem.kind}`, {}, problem.title))), h('p', {lang: 'en'}, problem.message)] : h('p', {}, problem.message),
		remedy && again ? h('p', {}, h('button', {type: 'button', class: 'link', onclick: again}, t('again'))) : null);
}

for (const code of document.querySelectorAll('pre')) {
	const box = h('div', {class: 'codebox'});
	code.replaceWith(box);
	code.tabIndex = 0;
	box.append(code, copyButton(() => commandOf(code)));
}

// commandOf is what there is to copy: of a console, only what is typed into it.
function commandOf(code) {
	const text = code.textContent.trimEnd();
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
