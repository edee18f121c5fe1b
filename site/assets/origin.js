// A register that an answer comes from, and of when it is.

import {h} from './dom.js';
import {ago, day, t, time} from './text.js';

// origin is an item of a list, from an entry of sources; absent says why there is none.
export function origin(name, source, absent = 'source.failed') {
	return h('li', {}, h('b', {}, t(`registry.${name}`)), ' · ', source?.retrievedAt ? asked(source) : source?.asOf ? asOf(source) : t(absent));
}

const asOf = (source) => t('source.asOf', {date: day(source.asOf, {dateStyle: 'medium'})});

function asked(source) {
	const {name, retrievedAt, stale} = source;
	const got = name === 'onrc' ? 'source.loaded' : 'source.asked';
	return [
		h('time', {datetime: retrievedAt, title: ago(retrievedAt)}, t(got, {time: time(retrievedAt)})),
		source.asOf ? ` · ${asOf(source)}` : '',
		stale ? [' ', h('span', {class: 'badge warn'}, t('state.stale'))] : '',
	];
}
