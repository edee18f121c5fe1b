// Charts as SVG: bars by year. A table beside each chart has the same figures.

import {h} from './dom.js';
import {compact} from './text.js';

const left = 58, right = 8, top = 12, height = 240, bottom = height - 24;

// fitting returns the width of a drawing, so that text has the same relative size on phones and wide screens.
const fitting = (most) => Math.max(260, Math.min(most, document.documentElement.clientWidth - 90));

// scale maps a range of values to a range of coordinates.
const scale = (low, high, from, to) => (value) => from + (value - low) / (high - low || 1) * (to - from);

// ticks returns round values that cover a range.
function ticks(low, high, wanted = 4) {
	const rough = (high - low || Math.abs(high) || 1) / wanted;
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= rough);
	const values = [];
	for (let i = Math.floor(low / step); i <= Math.ceil(high / step); i++) values.push(i * step);
	return values;
}

const axis = (values, y, width, show) => values.map((value) => [
	h('line', {class: 'axis', x1: left, x2: width - right, y1: y(value), y2: y(value)}),
	h('text', {x: left - 8, y: y(value) + 4, 'text-anchor': 'end'}, show(value)),
]);

// bars draws groups of {label, bars: [{value, kind}]}, upwards or downwards from zero.
export function bars(groups, label, show = compact, most = 640) {
	const width = fitting(most);
	const values = groups.flatMap((group) => group.bars.map((bar) => bar.value ?? 0));
	const steps = ticks(Math.min(0, ...values), Math.max(0, ...values));
	const y = scale(steps[0], steps.at(-1), bottom, top);
	const room = (width - left - right) / groups.length;
	const each = Math.min(34, room * 0.7 / groups[0].bars.length);
	const sparse = Math.ceil(groups.length * 56 / (width - left)); // leaves room for labels
	return h('svg', {class: 'chart', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label},
		axis(steps, y, width, show),
		groups.map((group, i) => {
			const middle = left + room * (i + 0.5), first = middle - each * group.bars.length / 2;
			return h('g', {},
				// An unknown value has no bar: a bar without height would mean zero.
				group.bars.map((bar, j) => typeof bar.value === 'number' ? h('rect', {
					class: `bar ${bar.value < 0 ? 'loss' : bar.kind}`, rx: Math.min(3, each / 3), x: first + each * j + 1, width: Math.max(1, each - 2),
					y: Math.min(y(0), y(bar.value)), height: Math.abs(y(bar.value) - y(0)),
				}, h('title', {}, `${group.label}: ${show(bar.value)}`)) : null),
				i % sparse === 0 ? h('text', {x: middle, y: height - 4, 'text-anchor': 'middle'}, group.label) : null);
		}));
}
