// A list of companies before it is looked up: its file is chosen, previewed, and corrected.

import {ask} from './api.js';
import {h, say} from './dom.js';
import {dropZone} from './drop.js';
import {form, reason} from './form.js';
import {isTemporary, problemNotice} from './page.js';
import {lasting, number, plural, t, today} from './text.js';

const workbook = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const types = {csv: 'text/csv', txt: 'text/csv', tsv: 'text/csv', xlsx: workbook, json: 'application/json', ndjson: 'application/x-ndjson', jsonl: 'application/x-ndjson'};
const largest = 20 << 20; // bytes of a file
const sampled = 5; // rows of a preview that are shown

// added are the columns that can be added, with the keys of their names. The first ones are preselected.
const added = [['name', 'onday.name'], ['stateRegistration', 'onday.stateRegistration'], ['vatPayer', 'company.vat'], ['inactive.status', 'onday.inactive'],
	['eInvoice.registered', 'onday.eInvoice'], ['insolvency.state', 'registers.insolvency'], ['vatOnCollection', 'company.vatOnCollection'], ['tradeNumber', 'company.tradeNumber'],
	['address', 'company.address'], ['county', 'widget.county'], ['city', 'widget.city'], ['mainNaceCode', 'company.caen'], ['phone', 'company.phone']];
const usual = 5;

// listSource creates the inputs for a list: a file that is chosen or dropped, or a pasted text. take gets a File.
export function listSource(take) {
	let taken = '';
	const read = ({target: {value}}) => {
		if (!value.trim() || value === taken) return;
		taken = value;
		take(new File([value], `${t('lists.pasted')}.csv`));
	};
	return [
		dropZone({id: 'list-file', label: t('lists.file'), hint: t('lists.fileHint'), accept: Object.keys(types).map((ending) => `.${ending}`).join()}, take),
		h('div', {class: 'field'}, h('label', {for: 'list-text'}, t('lists.paste')),
			h('textarea', {id: 'list-text', rows: 2, onchange: read, oninput: (event) => event.inputType === 'insertFromPaste' && read(event)})),
	];
}

// orderList shows in a place how the service reads a file, and lets the person change that. With an account, a button
// starts the job, which is passed to started. A guest has none: each preview is passed to previewed, with the day that
// was chosen for all rows.
export async function orderList(file, place, {started, guest, previewed, heading = 'h4'}) {
	const type = types[file.name.split('.').pop().toLowerCase()];
	if (!type || file.size > largest || !file.size) {
		const wrong = !type ? t('lists.otherType') : file.size ? t('lists.large', {size: number(file.size / (1 << 20), {maximumFractionDigits: 1})}) : t('lists.empty');
		return place.replaceChildren(h('p', {class: 'notice bad', role: 'alert'}, wrong));
	}
	const body = new Blob([file], {type}), preview = h('div', {class: 'preview'});
	const fields = h('fieldset', {class: 'checkboxes'}, h('legend', {}, t('lists.columns')), added.map(([value, key], i) =>
		h('label', {}, h('input', {type: 'checkbox', name: 'fields', value, checked: i < usual}), t(key))));
	let id = crypto.randomUUID?.(); // unavailable over plain HTTP
	let choice = {}, request; // the parameters that the person chose, and the controller of the latest request
	const select = (name, label) => ({name, label, required: false, options: [['', '']]});
	const order = form([...type === workbook ? [select('sheet', t('lists.sheet'))] : [], select('column', t('lists.taxIds')), select('dateColumn', t('lists.dates')),
		{name: 'date', label: t('lists.date'), type: 'date', max: today(), required: false, hint: t('lists.dateHint')}], t('lists.start'), async ({date}) => {
		const names = [...fields.querySelectorAll('input:checked')].map(({value}) => value).join();
		const {data} = await ask('/v1/jobs', {method: 'POST', query: {name: file.name.slice(-200), ...choice, date, fields: names, view: 'verdict'}, body, id});
		place.replaceChildren();
		say(t('lists.started', {name: file.name}));
		await started(data);
	});
	const start = order.querySelector('.button'), {sheet, column, dateColumn} = order.elements;
	start.hidden = guest;
	const offerChoices = (found) => {
		const columns = found.columns?.map((name, i) => [`${i + 1}`, name]) ?? [], at = (name) => found.columns.indexOf(name) + 1;
		if (sheet) fill(sheet, [...found.sheet ? [] : [['', t('lists.choose')]], ...found.sheets?.map((name) => [name, name]) ?? []], found.sheet ?? choice.sheet);
		fill(column, [...found.column ? [] : [['', t('lists.choose')]], ...columns], found.column ? at(found.column) : choice.column);
		fill(dateColumn, [['none', t('lists.noDates')], ...columns], found.dateColumn ? at(found.dateColumn) : choice.dateColumn ?? 'none');
	};
	const load = async () => {
		request?.abort();
		request = new AbortController();
		const {signal} = request;
		start.disabled = true;
		preview.setAttribute('aria-busy', 'true');
		try {
			const read = (guest) => ask('/v1/jobs/preview', {method: 'POST', query: choice, body, signal, guest});
			let tooFew; // the credits that are needed and left; what was recognised is shown all the same
			const {data} = await read(guest).catch((problem) => {
				if (problem.body?.needed === undefined) throw problem;
				tooFew = problem.body;
				return read(true);
			});
			offerChoices(data);
			preview.replaceChildren(...describe(data));
			if (tooFew) preview.prepend(h('p', {class: 'notice', role: 'alert'}, t('lists.tooFew', {needed: number(tooFew.needed), remaining: number(tooFew.remaining)}), ' ', h('a', {href: '/dashboard/plans'}, t('nav.plans'))));
			say(preview.firstChild.textContent);
			start.disabled = Boolean(tooFew);
			await previewed?.(data, order.elements.date.value, signal);
		} catch (problem) {
			if (signal.aborted) return;
			if (problem.status === undefined) throw problem;
			const {columns, sheets} = problem.body ?? {};
			if (columns || sheets) offerChoices({columns, sheets});
			preview.replaceChildren(isTemporary(problem) ? problemNotice(problem, load) : h('p', {class: 'notice bad', role: 'alert'}, reason(problem), columns || sheets ? ` ${t('lists.chooseBelow')}` : ''));
		}
		preview.removeAttribute('aria-busy');
	};
	order.addEventListener('change', ({target: {name, value}}) => {
		id = crypto.randomUUID?.(); // a different request
		if (name === 'date' && guest) load();
		if (!['sheet', 'column', 'dateColumn'].includes(name)) return;
		choice = name === 'sheet' ? {sheet: value} : {...choice, [name]: value};
		load();
	});
	if (!guest) start.before(h('details', {}, h('summary', {}, t('lists.columns')), fields));
	preview.append(h('p', {class: 'spin'}, t('lists.reading')));
	place.replaceChildren(h(heading, {}, file.name), preview, order);
	place.firstChild.scrollIntoView({block: 'nearest'});
	await load();
}

// fill replaces the options of a select, which keeps the focus.
function fill(select, options, value = '') {
	select.replaceChildren(...options.map(([value, text]) => h('option', {value}, text)));
	select.value = value;
}

// describe returns the size of a list, its highest price and expected time, its format, and its first rows.
function describe({total, invalid, blank, creditsReserved, etaSeconds, headerRow, delimiter, columns, firstRows, column, dateColumn}) {
	const marked = columns.map((name) => name === column || name === dateColumn ? 'taxid' : null);
	const row = (tag, cells) => h('tr', {}, cells.map((text, i) => h(tag, {class: marked[i], scope: tag === 'th' && 'col'}, text)));
	return [
		h('p', {}, h('b', {}, plural('jobs.rows', total), ' · ', plural('lists.price', creditsReserved), ' · ', t('lists.time', {time: lasting(etaSeconds)}))),
		h('p', {class: 'hint'}, [invalid && t('lists.invalid', {n: number(invalid)}), blank && t('lists.blank', {n: number(blank)}), headerRow && t('lists.header', {row: headerRow}),
			delimiter && t('lists.delimiter', {delimiter: delimiter === '\t' ? t('lists.tab') : delimiter})].filter(Boolean).join(' · ')),
		h('div', {class: 'scroll sample', tabindex: '0', role: 'region', 'aria-label': t('lists.sample')}, h('table', {}, h('thead', {}, row('th', columns)), h('tbody', {}, firstRows.slice(0, sampled).map((cells) => row('td', cells))))),
	];
}
