// Forms that keep the input, show errors beside their fields, and can be sent again.

import {h} from './dom.js';
import {t} from './text.js';
import {complaint} from './validity.js';

// fieldOf maps error codes of /api/auth to fields.
const fieldOf = {
	PASSWORD_TOO_SHORT: ['newPassword', 'password'], PASSWORD_TOO_LONG: ['newPassword', 'password'],
	PASSWORD_COMPROMISED: ['newPassword', 'password'], INVALID_PASSWORD: ['currentPassword', 'password'],
	INVALID_EMAIL: ['email', 'newEmail'], USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: ['email', 'newEmail'],
};

// reason returns the text of a problem.
export function reason(problem) {
	if (problem.status === 429) return t('problem.wait', {seconds: Math.max(1, problem.retryAfter)});
	if (problem.code === 'unauthorized') return t('dashboard.expired'); // from /v1; codes of /api/auth give the reason
	return problem.message;
}

let count = 0;

// form creates a form from fields {name, label, type, hint, value, autocomplete, ...}. A field with options [[value,
// text]] is a select; a field with lines is a text area. submit is called with the values and the form, and errors that
// it throws are shown.
export function form(fields, label, submit, {kind = '', inline = false} = {}) {
	const prefix = `form${count++}-`;
	const rows = Object.fromEntries(fields.map((field) => [field.name, row(field, prefix)]));
	const told = h('div', {role: 'alert'});
	const button = h('button', {class: `button ${kind}`}, label);
	const element = h('form', {novalidate: true, class: inline ? 'inline' : null, onsubmit: async (event) => {
		event.preventDefault();
		told.replaceChildren();
		const wrong = Object.values(rows).filter(({input, error}) => !check(input, error));
		if (wrong.length) return wrong[0].input.focus();
		button.disabled = true;
		try {
			await submit(Object.fromEntries(new FormData(element)), element);
		} catch (problem) {
			place(problem, rows, told);
		} finally {
			button.disabled = false;
		}
	}}, Object.values(rows).map(({box}) => box), button, told);
	return element;
}

function row({name, label, hint, options, lines, missing, ...attributes}, prefix) {
	const error = h('p', {class: 'error', id: `${prefix}${name}-error`, hidden: true});
	const input = h(options ? 'select' : lines ? 'textarea' : 'input', {
		id: prefix + name, name, required: !options || options[0][0] === '', rows: lines, ...attributes, value: options ? null : attributes.value,
		'aria-describedby': `${prefix}${name}-error${hint ? ` ${prefix}${name}-hint` : ''}`, oninput: () => mark(input, error, ''),
	}, options?.map(([value, text]) => h('option', {value, selected: value === attributes.value}, text)));
	if (missing) input.dataset.missing = missing;
	const named = h('label', {for: prefix + name}, label);
	if (attributes.type === 'checkbox') return {input, error, box: h('div', {class: 'field consent'}, h('p', {}, input, ' ', named), error)};
	return {input, error, box: h('div', {class: 'field'}, named, input,
		hint ? h('p', {class: 'hint', id: `${prefix}${name}-hint`}, hint) : null, error)};
}

function check(input, error) {
	const text = complaint(input);
	mark(input, error, text);
	return !text;
}

function mark(input, error, text) {
	error.textContent = text;
	error.hidden = !text;
	if (text) input.setAttribute('aria-invalid', 'true');
	else input.removeAttribute('aria-invalid');
}

// place shows a problem beside its field, or otherwise below the form.
function place(problem, rows, told) {
	if (problem.status === undefined) throw problem; // a bug of this page
	const named = (problem.errors ?? []).map(({parameter}) => parameter);
	const {input, error} = rows[[...fieldOf[problem.code] ?? [], ...named].find((name) => rows[name])] ?? {};
	if (!input) return told.replaceChildren(h('p', {class: 'notice bad'}, reason(problem)));
	mark(input, error, reason(problem));
	input.focus();
}

// action creates a button that acts at once, with its errors beside it.
export function action(label, act, kind = 'link') {
	const told = h('span', {role: 'alert', class: 'error'});
	const button = h('button', {type: 'button', class: kind, onclick: async () => {
		button.disabled = true;
		told.replaceChildren();
		try {
			await act();
		} catch (problem) {
			if (problem.status === undefined) throw problem;
			told.textContent = reason(problem);
		} finally {
			button.disabled = false;
		}
	}}, label);
	return [button, told];
}

// confirm asks before an irreversible action, and calls act on yes.
export function confirm(question, yes, act) {
	const told = h('div', {role: 'alert'});
	const button = h('button', {type: 'button', class: 'button danger', onclick: async () => {
		button.disabled = true;
		try {
			await act();
			dialog.close();
		} catch (problem) {
			told.replaceChildren(h('p', {class: 'notice bad'}, reason(problem)));
			button.disabled = false;
		}
	}}, yes);
	const dialog = h('dialog', {'aria-label': question, onclose: () => dialog.remove()}, h('p', {}, question),
		told, h('p', {class: 'actions'}, button, h('button', {type: 'button', class: 'button quiet', autofocus: true, onclick: () => dialog.close()}, t('cancel'))));
	document.body.append(dialog);
	dialog.showModal();
}
