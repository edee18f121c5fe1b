// The front page: one box for queries about companies, VAT numbers, activities, places, rates and holidays.

import {ask} from './api.js';
import {h, id, say} from './dom.js';
import {showHolidays} from './holidays.js';
import {meaning} from './meaning.js';
import {problemNotice} from './page.js';
import {pageOf} from './pageof.js';
import {showConversion, showTiles} from './rates.js';
import {snippets} from './snippet.js';
import {suggest} from './suggest.js';
import {lang, t, today} from './text.js';
import {showVATNumber} from './vat.js';

const box = id('q'), answer = id('answer');
const heading = document.querySelector('.hero h1');
const title = document.title, welcome = heading.textContent;
let asking = new AbortController();

const shows = {
	vat: showVATNumber,
	holidays: showHolidays,
	convert: showConversion,
};

// look answers the query in the address.
async function look() {
	const text = new URLSearchParams(location.search).get('q')?.trim() ?? '';
	asking.abort();
	asking = new AbortController();
	box.value = text;
	document.title = text ? `${text} · rodata` : title;
	answer.hidden = !text;
	heading.textContent = text || welcome;
	document.body.classList.toggle('asked', text !== '');
	if (!text) return;
	const {signal} = asking, wanted = meaning(text, {lang, today: today()}), page = pageOf(wanted);
	if (page) return location.replace(page);
	answer.replaceChildren(h('p', {class: 'notice plain spin'}, t('answer.loading')));
	try {
		const shown = await shows[wanted.kind](wanted, signal);
		answer.replaceChildren(h('div', {}, shown.cards), shown.answer ? snippets(shown.request, shown.answer) : '');
		say(shown.said);
	} catch (problem) {
		if (problem.name === 'AbortError') return;
		if (!problem.kind && problem.status === undefined) throw problem;
		answer.replaceChildren(h('div', {}, problemNotice(problem, look)));
	}
}

// go opens the page that answers a query. If there is no such page, it answers below the box.
function go(text) {
	const wanted = text.trim();
	if (!wanted) return box.focus();
	const page = pageOf(meaning(wanted, {lang, today: today()}));
	if (page && navigator.onLine) return location.assign(page);
	if (page) return;
	history.pushState(null, '', `/?${new URLSearchParams({q: wanted})}`);
	look();
	answer.scrollIntoView({block: 'nearest', behavior: 'smooth'});
}

id('search').addEventListener('submit', (event) => {
	event.preventDefault();
	go(box.value);
});
addEventListener('popstate', look);
addEventListener('click', (event) => {
	const link = event.target.closest?.('a[href^="/?q="]');
	if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
	event.preventDefault();
	go(new URL(link.href).searchParams.get('q'));
	scrollTo({top: 0, behavior: 'smooth'});
});

suggest(box, id('suggestions'), go, (q, signal) => ask('/v1/companies/suggest', {query: {q}, signal}, 1));
look();
showTiles(id('rates'), id('rate-tiles'));
