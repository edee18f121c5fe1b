// The list under the search box: a combobox as in the ARIA Authoring Practices.

import {h, say} from './dom.js';
import {meaning} from './meaning.js';
import {lang, plural, t, today} from './text.js';

// rest is the pause in typing before the API is called, in milliseconds. A caller without a key has one call a second.
const rest = 350;
const longest = 8; // maximum number of lines

// suggest fills the list while a person types. ask returns the API's suggestions for a text; choose is called with the
// value of the chosen line.
export function suggest(box, list, choose, ask) {
	const known = new Map();
	let asking, timer;
	const lines = listbox(box, list, ({q}) => {
		close();
		box.value = q;
		choose(q);
	});
	const close = () => {
		clearTimeout(timer);
		asking?.abort();
		lines.show([]);
	};
	const fill = async (text) => {
		asking?.abort();
		asking = new AbortController();
		if (!known.has(text)) {
			try {
				const {data} = await ask(text, asking.signal);
				known.set(text, data.items.map(companyLine));
			} catch {
				return; // the search itself will show the error
			}
		}
		if (box.value.trim() === text && document.activeElement === box) lines.show([...local(text), ...known.get(text)].slice(0, longest));
	};
	box.addEventListener('input', () => {
		clearTimeout(timer);
		const text = box.value.trim();
		lines.show(local(text));
		if (text.length > 2 && read(text).kind === 'words') timer = setTimeout(() => fill(text), rest);
	});
	box.addEventListener('keydown', (event) => { if (event.key === 'Escape') close(); });
	box.addEventListener('blur', close);
	box.form.addEventListener('submit', close);
}

// listbox shows lines {title, note} below a box. A line can be chosen by pointer or keyboard.
function listbox(box, list, take) {
	let lines = [], active = -1;
	for (const [name, value] of Object.entries({role: 'combobox', 'aria-controls': list.id, 'aria-expanded': 'false', 'aria-autocomplete': 'list'})) box.setAttribute(name, value);

	const mark = (i) => {
		active = i;
		[...list.children].forEach((line, j) => line.setAttribute('aria-selected', j === i));
		if (i < 0) box.removeAttribute('aria-activedescendant');
		else box.setAttribute('aria-activedescendant', list.children[i].id);
	};
	box.addEventListener('keydown', (event) => {
		const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
		if (event.key === 'Enter' && active >= 0) {
			event.preventDefault();
			take(lines[active]);
		} else if (step && lines.length) {
			event.preventDefault();
			// One position more than there are lines: the box itself, -1.
			const places = lines.length + 1;
			mark((active + 1 + step + places) % places - 1);
		}
	});
	return {show: (found) => {
		lines = found;
		list.replaceChildren(...found.map((line, i) => h('li', {
			id: `suggestion-${i}`, role: 'option', 'aria-selected': 'false',
			onpointerdown: (event) => event.preventDefault(), onclick: () => take(line),
		}, h('b', {}, line.title), h('span', {}, line.note))));
		list.hidden = !found.length;
		box.setAttribute('aria-expanded', found.length > 0);
		mark(-1);
		if (found.length) say(plural('suggest.count', found.length));
	}};
}

// companyLine shows the state only if it is another than the usual one.
const companyLine = ({name, taxId, city, stateRegistration}) => ({
	title: name, q: taxId ? String(taxId) : name,
	note: [city, taxId ? `CUI ${taxId}` : t('company.noCui'), stateRegistration !== 'in_operation' && t(`state.${stateRegistration}`, {}, '')].filter(Boolean).join(' · '),
});

const read = (text) => meaning(text, {lang, today: today()});

// local returns the suggestions that need no call.
function local(text) {
	const wanted = read(text);
	switch (wanted.kind) {
	case 'company': return [{title: `CUI ${wanted.cui}`, note: t('suggest.company'), q: wanted.cui}];
	case 'vat': return [{title: wanted.number, note: t('suggest.vat'), q: wanted.number}];
	case 'register': return [{title: wanted.number, note: t('suggest.register'), q: wanted.number}];
	case 'caen': return [{title: `CAEN ${wanted.code}`, note: t('suggest.caen'), q: wanted.code}];
	case 'holidays': return [{title: text, note: t('suggest.holidays'), q: text}];
	case 'rates': return [{title: text, note: t('rates.heading'), q: text}];
	case 'rate': return [{title: wanted.currency, note: t('suggest.rate'), q: text}];
	case 'convert': return [{title: `${wanted.amount} ${wanted.from} → ${wanted.to}`, note: t('suggest.convert'), q: text}];
	}
	return [];
}
