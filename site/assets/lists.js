// Lists: a file of companies is uploaded, and its rows are returned with data from the registers.

import {h} from './dom.js';
import {followJobs} from './jobs.js';
import {listSource, orderList} from './order.js';
import {t} from './text.js';

export async function showLists(body) {
	const chosen = h('div', {id: 'chosen'}), jobs = h('div', {class: 'card', id: 'jobs'}), refresh = followJobs(jobs);
	body.append(h('div', {class: 'card'}, h('h3', {}, t('lists.new')), h('p', {class: 'hint'}, t('lists.text')),
		listSource((file) => orderList(file, chosen, {started: refresh})), chosen), jobs);
	await refresh();
}
