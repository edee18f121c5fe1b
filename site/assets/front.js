// The front page: one box that answers questions about companies, VAT numbers, activities, places, rates and holidays.

import {ask} from './api.js';
import {showCompany} from './company.js';
import {h, id, say} from './dom.js';
import {showHolidays} from './holidays.js';
import {meaning} from './meaning.js';
import {showActivities, showActivity, showPlace, showSuccessors, showTradeNumber, showWords} from './nomenclature.js';
import {spoken} from './page.js';
import {showConversion, showRate, showRates, showTiles} from './rates.js';
import {snippets} from './snippet.js';
import {suggest} from './suggest.js';
import {lang, t, today} from './text.js';
import {showVATNumber} from './vat.js';

const box = id('q'), answer = id('answer');
const title = document.title;
let asking = new AbortController();

const shows = {
	company: ({cui}, signal) => showCompany(cui, Object.fromEntries(new URLSearchParams(location.search)), beside, signal),
	vat: showVATNumber,
	register: ({number}, signal) => showTradeNumber(number, signal),
	caen: ({code}, signal) => showActivity(code, signal),
	activity: ({q}, signal) => showActivities(q, signal),
	place: ({code}, signal) => showPlace(code, signal),
	holidays: showHolidays,
	rates: showRates,
	rate: showRate,
	convert: showConversion,
	words: ({q}, signal) => showWords(q, signal),
};

// beside replaces the request that is shown beside the answer.
const beside = (request, answered) => answer.querySelector('aside')?.replaceWith(snippets(request, answered));

// look answers what stands in the address.
async function look() {
	const text = new URLSearchParams(location.search).get('q')?.trim() ?? '';
	asking.abort();
	asking = new AbortController();
	box.value = text;
	document.title = text ? `${text} · rodata` : title;
	answer.hidden = !text;
	document.body.classList.toggle('asked', text !== '');
	if (!text) return;
	const {signal} = asking, wanted = meaning(text, {lang, today: today()});
	answer.replaceChildren(h('p', {class: 'notice plain spin'}, t('answer.loading')));
	try {
		const shown = await shows[wanted.kind](wanted, signal);
		answer.replaceChildren(h('div', {}, shown.cards), shown.answer ? snippets(shown.request, shown.answer) : '');
		say(shown.said);
		if (new URLSearchParams(location.search).get('date')) id('history')?.scrollIntoView();
	} catch (problem) {
		if (problem.name === 'AbortError') return;
		if (!problem.kind && problem.status === undefined) throw problem;
		answer.replaceChildren(h('div', {}, problem.kind === 'caen-code-replaced' ? showSuccessors(problem) : spoken(problem, look)));
		// Four digits may be an activity, and then again a small tax id.
		if (wanted.kind === 'caen' && /^\d+$/.test(wanted.code) && problem.status === 404) answer.firstChild.append(asCompany(wanted.code));
	}
}

const asCompany = (digits) => h('p', {class: 'hint'}, h('a', {href: `/?q=RO${digits}`}, t('answer.asCompany', {digits})));

// go changes the address to a search, and answers it.
function go(text) {
	const wanted = text.trim();
	if (!wanted) return box.focus();
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
