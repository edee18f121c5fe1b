// Lists: a file of companies is uploaded, and its rows are returned with data from the registers.

import {ask} from './api.js';
import {h, say} from './dom.js';
import {dropZone} from './drop.js';
import {form, reason} from './form.js';
import {followJobs} from './jobs.js';
import {isTemporary, problemNotice} from './page.js';
import {lasting, number, plural, t, today} from './text.js';

const workbook = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const types = {csv: 'text/csv', txt: 'text/csv', tsv: 'text/csv', xlsx: workbook, json: 'application/json', ndjson: 'application/x-ndjson', jsonl: 'application/x-ndjson'};
const largest = 20 << 20; // bytes of a file

// added are the columns that can be added, with the keys of their names. The first ones are preselected.
const added = [['name', 'onday.name'], ['stateRegistration', 'onday.stateRegistration'], ['vatPayer', 'company.vat'], ['inactive.status', 'onday.inactive'],
	['eInvoice.registered', 'onday.eInvoice'], ['insolvency.state', 'registers.insolvency'], ['vatOnCollection', 'company.vatOnCollection'], ['tradeNumber', 'company.tradeNumber'],
	['address', 'company.address'], ['county', 'widget.county'], ['city', 'widget.city'], ['mainNaceCode', 'company.caen'], ['phone', 'company.phone']];
const usual = 5;

export async function showLists(body) {
	const chosen = h('div', {id: 'chosen'}), jobs = h('div', {class: 'card', id: 'jobs'}), refresh = followJobs(jobs);
	const file = dropZone({id: 'list-file', label: t('lists.file'), hint: t('lists.fileHint'), accept: Object.keys(types).map((ending) => `.${ending}`).join()},
		(one) => choose(one, chosen, refresh));
	let taken = '';
	const take = ({target: {value}}) => {
		if (!value.trim() || value === taken) return;
		taken = value;
		choose(new File([value], `${t('lists.pasted')}.csv`), chosen, refresh);
	};
	const text = h('textarea', {id: 'list-text', rows: 2, onchange: take, oninput: (event) => event.inputType === 'insertFromPaste' && take(event)});
	body.append(h('div', {class: 'card'}, h('h3', {}, t('lists.new')), h('p', {class: 'hint'}, t('lists.text')), file,
		h('div', {class: 'field'}, h('label', {for: 'list-text'}, t('lists.paste')), text), chosen), jobs);
	await refresh();
}

// choose previews a file as the service reads it, and offers the available columns.
async function choose(file, place, done) {
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
		await ask('/v1/jobs', {method: 'POST', query: {name: file.name.slice(-200), ...choice, date, fields: names}, body, id});
		place.replaceChildren();
		say(t('lists.started', {name: file.name}));
		await done();
	});
	const start = order.querySelector('.button'), {sheet, column, dateColumn} = order.elements;
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
			const {data} = await ask('/v1/jobs/preview', {method: 'POST', query: choice, body, signal});
			offerChoices(data);
			preview.replaceChildren(...describe(data));
			say(preview.firstChild.textContent);
			start.disabled = false;
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
		if (!['sheet', 'column', 'dateColumn'].includes(name)) return;
		choice = name === 'sheet' ? {sheet: value} : {...choice, [name]: value};
		load();
	});
	start.before(h('details', {open: true}, h('summary', {}, t('lists.columns')), fields));
	preview.append(h('p', {class: 'spin'}, t('lists.reading')));
	place.replaceChildren(h('h4', {}, file.name), preview, order);
	place.querySelector('h4').scrollIntoView({block: 'nearest'});
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
		h('div', {class: 'scroll sample', tabindex: '0', role: 'region', 'aria-label': t('lists.sample')}, h('table', {}, h('thead', {}, row('th', columns)), h('tbody', {}, firstRows.map((cells) => row('td', cells))))),
	];
}
