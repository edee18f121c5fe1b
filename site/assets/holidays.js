// The public holidays of a year, for people.

import {ask} from './api.js';
import {h, table} from './dom.js';
import {day, lang, plural, t, today} from './text.js';

// The years of the calendar: from the start of the central bank's archive to next year.
const first = 2005, last = () => Number(today().slice(0, 4)) + 1;

// showHolidays lists the holidays of a year, by default the current one. For a year outside the calendar, it shows the
// years that are available.
export async function showHolidays({year}, signal) {
	const query = {year};
	if (year && (year < first || year > last())) {
		const sentence = t('holidays.range', {first, last: last()});
		return {cards: [h('article', {class: 'card'}, h('h2', {}, t('holidays.heading', {year})), h('p', {}, sentence), h('p', {class: 'hint'}, others(last())))], said: sentence};
	}

	const answer = await ask('/v1/holidays', {query, signal});
	const {data} = answer;
	const rows = data.items.map((holiday) => [day(holiday.date, {weekday: 'long', day: 'numeric', month: 'long'}), lang === 'en' ? holiday.nameEn : holiday.name]);
	const heading = t('holidays.heading', {year: data.year}), banks = plural('holidays.bankDays', data.bankDays);
	const card = h('article', {class: 'card'},
		h('h2', {}, heading), h('p', {}, banks),
		table([{text: t('holidays.day')}, {text: t('holidays.name')}], rows),
		h('p', {class: data.provisional ? 'notice' : 'hint'}, lang === 'en' ? data.noteEn : data.note),
		h('p', {class: 'hint'}, t('holidays.basis', {article: data.basis.match(/art\. (\d+)/)[1]}), ' ', others(data.year - 1, data.year + 1)));
	return {cards: [card], request: {path: '/v1/holidays', query, tool: 'get_holidays', args: year ? {year} : {}}, answer, said: `${heading}. ${banks}`};
}

// others are links to the adjacent years in the calendar.
const others = (...years) => years.filter((year) => year >= first && year <= last())
	.map((year) => [h('a', {href: `/?q=${t('holidays.query')}+${year}`}, `${year}`), ' ']);
