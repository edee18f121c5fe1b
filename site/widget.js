// Turns <input data-rodata="company"> into a search of Romanian companies that fills the elements with data-rodata-field
// in the same form. While the service does not answer, the input is a plain one. The guide is /docs/company-search.
// The server minifies it (assets.go), so comments stand on lines of their own, and template literals are not nested.

const selector = 'input[data-rodata=company]';

const words = {
	en: {found: 'Companies found', filled: 'Filled in: ', partly: 'Partly filled in: ', failed: 'The search is not available. Fill in the form by hand.',
		none: 'No company found', wrong: 'Wrong check digit', busy: 'Searching…', unknown: 'state unknown'},
	ro: {
		found: 'Firme găsite', filled: 'Completat: ', partly: 'Completat parțial: ', failed: 'Căutarea nu este disponibilă. Completați manual.',
		none: 'Nicio firmă găsită', wrong: 'Cifră de control greșită', busy: 'Se caută…', unknown: 'stare necunoscută',
		suspended: 'suspendată', dissolved: 'dizolvată', in_liquidation: 'în lichidare', in_reorganization: 'în reorganizare', insolvent: 'în insolvență', bankrupt: 'în faliment', struck_off: 'radiată',
	},
};

const join = (between, ...parts) => parts.filter(Boolean).join(between);

// What a profile has under another name, or in parts. A VAT status that is unknown gives no VAT number.
const derived = {
	registrationNumber: ({tradeNumber}) => tradeNumber,
	vatId: ({vatPayer, taxId}) => vatPayer ? 'RO' + taxId : '',
	street: ({seat}) => join(', ', seat?.street, seat?.number, seat?.details),
};

let count = 0, filling = false;

// When the service may be asked again after a 429.
let resume = 0;

// ask gives an answer of the service, for which it waits 8 seconds at most; so long may a 429 ask to wait, too.
async function ask(path, signal) {
	const wait = resume - Date.now();
	if (wait > 8000) throw wait;
	await new Promise((resolve) => setTimeout(resolve, wait));
	const response = await fetch(new URL(path, import.meta.url), {signal: AbortSignal.any([signal, AbortSignal.timeout(8000)]), referrerPolicy: 'no-referrer'});
	if (response.ok) return response.json();
	if (response.status !== 429) throw response;
	resume = Date.now() + 1000 * (response.headers.get('Retry-After') || 1);
	return ask(path, signal);
}

const set = (element, attributes) => Object.entries(attributes).forEach((one) => element.setAttribute(...one));

function make(name, attributes, ...children) {
	const element = document.createElement(name);
	set(element, attributes);
	element.append(...children);
	return element;
}

const read = (field) => field.value ?? field.textContent;

// fill writes a company into the fields of a form, and empties those for which it has no value. It returns the fields
// with their values.
function fill(form, company) {
	return [...form.querySelectorAll('[data-rodata-field]')].map((field) => {
		const path = field.dataset.rodataField;
		const value = derived[path] ? derived[path](company) : path.split('.').reduce((part, name) => part?.[name], company);
		write(field, `${value ?? ''}`, path === 'county' && company.seat?.countyCode);
		return [field, read(field)];
	});
}

// isWrong reports whether a text is a tax id with a wrong check digit.
function isWrong(text) {
	const [, digits, last] = /^(?:RO)?\s*(\d{1,9})(\d)$/i.exec(text) ?? [];
	return digits && [...digits.padStart(9, 0)].reduce((sum, digit, i) => sum + digit * '753217532'[i], 0) * 10 % 11 % 10 != last;
}

const fold = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

// write sets a field. Of a choice it takes the option with the text, or the code, as its value or label.
function write(field, text, code) {
	if (field.options) {
		const wanted = [text, code || text].map(fold);
		text = [...field.options].find((one) => wanted.includes(fold(one.value)) || wanted.includes(fold(one.text)))?.value ?? '';
	}
	if (!('value' in field)) return field.textContent = text;
	// By the prototype's setter: frameworks put their own on the element.
	Reflect.set(Object.getPrototypeOf(field), 'value', text, field);
	filling = true;
	for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, {bubbles: true}));
	filling = false;
}

// attach makes a combobox of an input, by the rules of the ARIA practices.
function attach(input) {
	if (input.role) return;
	const say = words[/^ro/i.test(input.closest('[lang]')?.lang) ? 'ro' : 'en'], id = `rodata-${++count}`;
	const list = make('ul', {id, class: 'rodata-list', role: 'listbox', 'aria-label': say.found, popover: 'manual'});
	const status = make('div', {class: 'rodata-status', role: 'status'});
	// Outside of a modal dialog, its list could not be reached.
	(input.closest('dialog') ?? document.body).append(list, status);
	set(input, {role: 'combobox', 'aria-autocomplete': 'list', 'aria-controls': id, autocomplete: 'off'});
	// The input keeps the focus.
	list.onpointerdown = (event) => event.preventDefault();
	let shown, active, timer, asking, written = [];
	// Whether a search or filling is running: until its end, Enter must not send the form.
	let pending;

	// place puts the list below the input, or above it where there is more room.
	const place = () => {
		const {left, top, bottom, width} = input.getBoundingClientRect(), room = innerHeight - bottom, up = room < 200 && top > room;
		const px = {left, width, maxHeight: (up ? top : room) - 12, [up ? 'bottom' : 'top']: up ? innerHeight - top : bottom};
		list.style.cssText = '';
		for (const name in px) list.style[name] = px[name] + 'px';
	};
	const mark = (i) => {
		active = i;
		[...list.children].forEach((line, j) => set(line, {'aria-selected': i === j}));
		set(input, {'aria-activedescendant': list.children[i]?.id ?? ''});
		list.children[i]?.scrollIntoView({block: 'nearest'});
	};
	const state = ({stateRegistration: name}) => name !== 'in_operation' && (say[name] ?? name.replaceAll('_', ' '));
	const line = (company, i) => {
		const note = join(' · ', company.taxId && 'CUI ' + company.taxId, company.city, company.county, state(company));
		const option = make('li', {id: id + '-' + i, role: 'option'}, make('b', {}, company.name), make('span', {}, note));
		option.onclick = () => take(company);
		return option;
	};
	// show lists companies, or tells something in their place.
	const show = (companies, told) => {
		shown = companies;
		list.replaceChildren(...shown.map(line));
		if (told) list.append(make('li', {role: 'option', 'aria-disabled': true}, told));
		const open = !!list.firstChild;
		list.togglePopover?.(open);
		set(input, {'aria-expanded': open});
		place();
		mark(-1);
	};
	// begin gives up the search or filling before.
	const begin = () => {
		clearTimeout(timer);
		asking?.abort();
		pending = false;
		show([]);
		return asking = new AbortController();
	};
	const search = async (q, {signal}) => {
		let said = say.failed, companies = [];
		try {
			companies = (await ask('/v1/companies/suggest?q=' + encodeURIComponent(q), signal)).items;
			said = companies[0] ? say.found + ': ' + companies.length : isWrong(q) ? say.wrong : say.none;
		} catch {}
		if (signal.aborted) return;
		pending = false;
		if (input.matches(':focus')) show(companies, !companies[0] && said);
		status.textContent = said;
	};
	const take = async (company) => {
		const {signal} = begin();
		pending = true;
		write(input, company.name);
		let said = say.filled;
		try {
			if (company.taxId) company = await ask('/v1/companies/' + company.taxId, signal);
		} catch {
			said = say.partly;
		}
		if (signal.aborted) return;
		begin();
		write(input, company.name);
		written = fill(input.form ?? document, company);
		status.textContent = said + join(', ', company.name, state(company));
		input.dispatchEvent(new CustomEvent('rodata:company', {bubbles: true, detail: company}));
	};

	input.addEventListener('input', () => {
		if (filling) return;
		const mine = begin(), q = input.value.trim().slice(0, 100);
		// What was filled in and left as it is belongs to another company.
		for (const [field, value] of written) field !== input && read(field) === value && write(field, '');
		written = [];
		if (pending = q.length > 1) timer = setTimeout(search, 350, q, mine);
	});
	input.addEventListener('keydown', (event) => {
		// One place more than there are lines: that of the input itself, -1.
		const places = shown.length + 1, step = {ArrowDown: 1, ArrowUp: -1}[event.key];
		if (event.isComposing) return;
		if (pending && event.key === 'Enter') show([], say.busy);
		else if (event.key === 'Escape' && list.firstChild) show([]);
		else if (places < 2) return;
		else if (step) mark((active + 1 + step + places) % places - 1);
		else if (event.key === 'Enter' && active >= 0) take(shown[active]);
		else return;
		event.preventDefault();
	});
	input.addEventListener('blur', () => {
		clearTimeout(timer);
		pending = false;
		show([]);
	});
	for (const type of ['scroll', 'resize']) addEventListener(type, place, true);
	show([]);
}

// A strict policy allows what scripts construct.
const sheet = new CSSStyleSheet();
sheet.replaceSync(`.rodata-list{position:fixed;inset:auto;box-sizing:border-box;margin:4px 0;padding:4px;overflow:auto;list-style:none;border:1px solid #8888;background:Canvas;color:CanvasText}
.rodata-list:empty{display:none}
.rodata-list li{padding:8px 12px;cursor:pointer}
.rodata-list span{display:block;font-size:.85em}
.rodata-list :is(li:hover,[aria-selected=true]){outline:2px solid}
.rodata-status{position:fixed;clip-path:inset(50%)}`);
document.adoptedStyleSheets.push(sheet);
document.querySelectorAll(selector).forEach(attach);
document.addEventListener('focusin', ({target}) => target.matches(selector) && attach(target));
