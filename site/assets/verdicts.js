// A list of suppliers with their verdicts: a summary, filters, and a table with the problems first.

import {h} from './dom.js';
import {day, number, plural, t, today} from './text.js';
import {explain} from './wrong.js';

// levels are the groups of rows, the worst first, with the class of their badge.
const levels = {problem: 'bad', invalid: 'bad', attention: 'warn', unknown: 'unknown', clear: '', blank: ''};
const levelOf = {stop: 'problem', attention: 'attention', incomplete: 'unknown', clear: 'clear'};
const pageSize = 100;

// taxIDIn returns the tax id in a cell; empty for a cell of dashes.
export const taxIDIn = (cell) => `${cell ?? ''}`.trim().replace(/^[\p{Pd}−]+$/u, '');

// verdictRow describes a row of a list. place is its number in the file; its outcome is an item of a batch or a line of
// a job's result.
export function verdictRow(place, input, {status, company, taxId, date, asOf, problem}) {
	const row = {place, input, taxId: taxId ?? input, date, asOf, company};
	if (!input) return {...row, level: 'blank', texts: []};
	if (status === 200) {
		const {outcome, reasons = []} = company.verdict ?? {}; // a clear verdict has reasons if today is not clear
		const level = outcome === 'clear' && reasons.length ? 'attention' : levelOf[outcome] ?? 'unknown';
		return {...row, level, texts: reasons.map((reason) => t(`reason.${reason}`))};
	}
	if (status === 404) return {...row, level: 'problem', texts: [t('check.notFound')]};
	return {...row, level: status === 400 ? 'invalid' : 'unknown', texts: [explain(problem ?? {})]};
}

// verdictTable returns the summary of all rows, and a table in which a level can be chosen. Without rows, counts has
// the numbers of rows by level.
export function verdictTable(rows, counts = Object.fromEntries(Object.keys(levels).map((level) => [level, rows.filter((row) => row.level === level).length]))) {
	const shown = Object.keys(levels).filter((level) => counts[level]);
	const total = shown.reduce((sum, level) => sum + counts[level], 0);
	const body = h('tbody'), more = h('p'), order = Object.keys(levels);
	const sorted = rows.toSorted((a, b) => order.indexOf(a.level) - order.indexOf(b.level) || a.place - b.place);
	const choose = (level, button) => {
		for (const other of button.parentNode.children) other.setAttribute('aria-pressed', `${other === button}`);
		fill(level ? sorted.filter((row) => row.level === level) : sorted);
	};
	const fill = (all, from = 0) => {
		if (!from) body.replaceChildren();
		body.append(...all.slice(from, from + pageSize).map(line));
		more.replaceChildren(all.length > from + pageSize ? h('button', {type: 'button', class: 'button quiet small', onclick: () => fill(all, from + pageSize)}, t('more')) : '');
	};
	fill(sorted);
	const filter = (level, text) => h('button', {type: 'button', 'aria-pressed': `${!level}`, onclick: ({target}) => choose(level, target)}, text);
	return h('div', {class: 'verdicts'},
		h('p', {class: 'summary'}, h('b', {}, `${plural('jobs.rows', total)}: ${shown.map((level) => plural(`check.${level}`, counts[level])).join(', ')}.`)),
		rows.length ? [h('p', {class: 'choices', role: 'group', 'aria-label': t('watchlist.filter')}, filter('', t('watchlist.all', {n: number(total)})), shown.map((level) => filter(level, plural(`check.${level}`, counts[level])))),
			h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': t('check.table')}, h('table', {class: 'stack'},
				h('thead', {}, h('tr', {}, columns.map((name) => h('th', {scope: 'col'}, t(`checked.${name}`))))), body)), more] : null);
}

const columns = ['company', 'verdict', 'vat', 'day', 'row'];

function line({place, input, taxId, date, asOf, company, level, texts}) {
	const cell = (column, ...value) => h('td', {'data-label': t(`checked.${column}`)}, h('div', {}, value));
	const at = asOf ?? date, vat = company ? company.vatPayer ?? null : undefined;
	const address = `/companies/${taxId}${at && at !== today() ? `/status?date=${at}` : ''}`;
	return h('tr', {'data-level': level}, cell('company', company ? [h('b', {}, company.name ?? `CUI ${taxId}`), h('span', {class: 'hint'}, h('br'), h('a', {href: address}, `${taxId}`))] : h('code', {}, input || '–')),
		cell('verdict', h('span', {class: `badge ${levels[level]}`}, t(`level.${level}`)), texts.length ? [h('br'), texts.join('; ')] : ''),
		cell('vat', vat === undefined ? '–' : t(`checked.vat.${vat}`)), cell('day', at ? day(at, {dateStyle: 'medium'}) : '–'), cell('row', number(place)));
}
