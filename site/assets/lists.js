// Lists: a file of companies is uploaded, and its rows are returned with data from the registers.

import {ask} from './api.js';
import {h, say} from './dom.js';
import {dropZone} from './drop.js';
import {form} from './form.js';
import {followJobs} from './jobs.js';
import {preview} from './table.js';
import {number, t, today} from './text.js';

const workbook = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const types = {csv: 'text/csv', txt: 'text/csv', tsv: 'text/csv', xlsx: workbook, json: 'application/json', ndjson: 'application/x-ndjson', jsonl: 'application/x-ndjson'};
const largest = 20 << 20; // bytes of a file
const head = 64 << 10; // bytes read for the preview
const rowsShown = 5;

// added are the columns that can be added, with the keys of their names. The first ones are preselected.
const added = [['name', 'onday.name'], ['stateRegistration', 'onday.stateRegistration'], ['vatPayer', 'company.vat'], ['inactive.status', 'onday.inactive'],
	['eInvoice.registered', 'onday.eInvoice'], ['insolvency.state', 'registers.insolvency'], ['vatOnCollection', 'company.vatOnCollection'], ['tradeNumber', 'company.tradeNumber'],
	['address', 'company.address'], ['county', 'widget.county'], ['city', 'widget.city'], ['mainNaceCode', 'company.caen'], ['phone', 'company.phone']];
const usual = 5;

export async function showLists(body) {
	const chosen = h('div', {id: 'chosen', 'aria-live': 'polite'}), jobs = h('div', {class: 'card', id: 'jobs'}), refresh = followJobs(jobs);
	const file = dropZone({id: 'list-file', label: t('lists.file'), hint: t('lists.fileHint'), accept: Object.keys(types).map((ending) => `.${ending}`).join()},
		(one) => choose(one, chosen, refresh));
	body.append(h('div', {class: 'card'}, h('h3', {}, t('lists.new')), h('p', {class: 'hint'}, t('lists.text')), file, chosen), jobs);
	await refresh();
}

// choose shows the content of a file and the available columns.
async function choose(file, place, done) {
	const type = types[file.name.split('.').pop().toLowerCase()];
	if (!type || file.size > largest || !file.size) {
		const wrong = !type ? t('lists.otherType') : file.size ? t('lists.large', {size: number(file.size / (1 << 20), {maximumFractionDigits: 1})}) : t('lists.empty');
		return place.replaceChildren(h('p', {class: 'notice bad', role: 'alert'}, wrong));
	}
	const seen = type === 'text/csv' ? preview(new Uint8Array(await file.slice(0, head).arrayBuffer()), file.size <= head) : null;
	const shown = seen ? sample(seen) : h('p', {class: 'notice plain'}, t('lists.later'));
	const fields = h('fieldset', {class: 'checkboxes'}, h('legend', {}, t('lists.columns')), added.map(([value, key], i) =>
		h('label', {}, h('input', {type: 'checkbox', name: 'fields', value, checked: i < usual}), t(key))));
	let id = crypto.randomUUID?.(); // unavailable over plain HTTP
	const order = form([columnField(seen), {name: 'date', label: t('lists.date'), type: 'date', max: today(), required: false, hint: t('lists.dateHint')}], t('lists.start'), async ({column, date}) => {
		const names = [...fields.querySelectorAll('input:checked')].map(({value}) => value).join();
		await ask('/v1/jobs', {method: 'POST', query: {name: file.name.slice(-200), column, date, fields: names}, body: new Blob([file], {type}), id});
		place.replaceChildren();
		say(t('lists.started', {name: file.name}));
		await done();
	});
	order.addEventListener('change', () => { id = crypto.randomUUID?.(); }); // a different request
	order.column?.addEventListener('change', ({target}) => seen && mark(shown, target.value - 1));
	order.querySelector('.button').before(h('details', {open: true}, h('summary', {}, t('lists.columns')), fields));
	place.replaceChildren(h('h4', {}, file.name), shown, order);
	place.querySelector('h4').scrollIntoView({block: 'nearest'});
}

// columnField asks for the column of tax ids. Unless its name is known, the service recognises it after the upload.
function columnField(seen) {
	if (!seen) return {name: 'column', label: t('lists.columnName'), required: false, hint: t('lists.columnHint'), maxlength: 200, autocomplete: 'off'};
	const value = seen.taxId < 0 ? '' : `${seen.taxId + 1}`;
	const options = seen.columns.map((name, i) => [`${i + 1}`, name.trim() || t('lists.column', {n: i + 1})]);
	return {name: 'column', label: t('lists.taxIds'), value, required: false, options: value ? options : [['', t('lists.byContent')], ...options], hint: t(value ? 'lists.recognised' : 'lists.later')};
}

// sample returns a table of the first rows.
function sample({columns, rows, taxId}) {
	const shown = rows.slice(0, rowsShown);
	const table = h('div', {class: 'scroll sample', tabindex: '0', role: 'region', 'aria-label': t('lists.sample')}, h('table', {},
		h('thead', {}, h('tr', {}, columns.map((name) => h('th', {scope: 'col'}, name)))),
		h('tbody', {}, shown.map((row) => h('tr', {}, columns.map((_, i) => h('td', {}, row[i] ?? '')))))));
	mark(table, taxId);
	return table;
}

// mark highlights the column of tax ids.
function mark(table, column) {
	for (const row of table.querySelectorAll('tr')) [...row.children].forEach((cell, i) => cell.classList.toggle('taxid', i === column));
}
