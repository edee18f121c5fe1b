// Creates elements. Text always becomes text nodes, so text from registries or users cannot become markup.

const svgNames = new Set(['svg', 'g', 'path', 'line', 'rect', 'circle', 'text', 'title']);

// h creates an element: h('p', {class: 'hint'}, 'text', h('b', {}, 'bold')). Attributes that are null or false are left
// out; an attribute onX adds a listener for x.
export function h(name, attributes = {}, ...children) {
	const element = svgNames.has(name) ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
	for (const [attribute, value] of Object.entries(attributes)) {
		if (attribute.startsWith('on')) element.addEventListener(attribute.slice(2), value);
		else if (value !== null && value !== undefined && value !== false) element.setAttribute(attribute, value === true ? '' : value);
	}
	element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
	return element;
}

// id finds an element of the page by its id.
export const id = (name) => document.getElementById(name);

// fact returns a name and a value for a list of facts, or nothing if there is no value.
export function fact(name, value, kind = '') {
	return value === null || value === undefined || value === '' ? null : h('div', {class: kind}, h('dt', {}, name), h('dd', {}, value));
}

export const facts = (...all) => h('dl', {class: 'facts'}, all);

// table creates a table with a heading for each column. Numbers are aligned right.
export function table(headings, rows) {
	const cells = (tag, row) => row.map((cell, i) => h(tag, {class: headings[i].number && 'number', scope: tag === 'th' && 'col'}, cell));
	return h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': headings.map((one) => one.text).join(', ')},
		h('table', {},
			h('thead', {}, h('tr', {}, cells('th', headings.map((one) => one.text)))),
			h('tbody', {}, rows.map((row) => h('tr', {}, cells('td', row))))));
}

// say announces a change to screen readers.
export function say(text) {
	const region = id('said');
	if (region) region.textContent = text;
}
