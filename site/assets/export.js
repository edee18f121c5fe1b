// What a search finds, as a file for spreadsheets.

import {ask} from './api.js';
import {h} from './dom.js';
import {action} from './form.js';
import {lang, number, t} from './text.js';

const most = 10000; // companies of a file

// exportActions are a button for each format. A spreadsheet in Romanian wants semicolons.
export function exportActions(q, total) {
	const formats = [['csv', 'CSV', {delimiter: lang === 'ro' ? ';' : ','}], ['xlsx', 'XLSX', {}]];
	return h('p', {class: 'actions', id: 'export'}, formats.map(([format, label, more]) => action(t('export.as', {format: label}), async () => {
		const {data} = await ask('/v1/companies', {query: {q, format, ...more}, file: true});
		save(data, `${t('export.name')}.${format}`);
	}, 'button quiet small')), total > most ? h('span', {class: 'hint'}, t('export.first', {n: number(most)})) : null);
}

// save has the browser put a file where it puts downloads.
function save(file, name) {
	const link = h('a', {href: URL.createObjectURL(file), download: name});
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
