// Lets readers try each operation of the reference.

import {address, ask} from './api.js';
import {h, id} from './dom.js';
import {copyButton, problemNotice} from './page.js';
import {curl, received} from './snippet.js';
import {t} from './text.js';

const keyBox = id('try-key'), keyed = id('keyed'), storage = 'rodata.key', language = 'rodata.language';
const placeholder = 'rodata_live_...';

// The key is kept in this tab until it is closed. Samples show it in place of the placeholder.
const inSamples = [...document.querySelectorAll('.samples .key')].map((span) => ({span, text: span.textContent}));
function show(key) {
	const safe = /^[\w-]+$/.test(key); // safe inside the quotes of every language
	for (const {span, text} of inSamples) span.textContent = safe ? text.replace(placeholder, key) : text;
	if (keyed && safe) keyed.checked = true;
}

keyBox.value = sessionStorage.getItem(storage) ?? '';
show(keyBox.value);
keyBox.addEventListener('input', () => {
	const key = keyBox.value.trim();
	if (key) sessionStorage.setItem(storage, key);
	else sessionStorage.removeItem(storage);
	show(key);
});
id('keybox').addEventListener('submit', (event) => event.preventDefault());

// The language of the samples is remembered across pages.
for (const choice of document.querySelectorAll('.samples input[name=language]')) {
	if (choice.value === localStorage.getItem(language)) choice.checked = true;
	choice.addEventListener('change', () => localStorage.setItem(language, choice.value));
}

// read builds a request from a form.
function read(form) {
	const {method} = form.dataset;
	const request = {method, path: form.dataset.path, query: {}, body: method === 'POST' ? {} : undefined};
	for (const {name, value, dataset} of form.querySelectorAll('[data-place]')) {
		if (dataset.place === 'path') request.path = request.path.replace(`{${name}}`, encodeURIComponent(value.trim()));
		else if (value !== '') request[dataset.place][name] = 'json' in dataset ? parsed(value) : value;
	}
	return request;
}

// parsed parses a text as JSON. Invalid JSON is sent unchanged: the service describes the error.
function parsed(text) {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

// fill writes examples into the required inputs, or into the first input if none is required.
function fill(form) {
	const inputs = [...form.querySelectorAll('input')], required = inputs.filter((input) => input.required);
	for (const input of required.length ? required : inputs.slice(0, 1)) input.value ||= input.placeholder;
}

function command({method, path, query, body}, key) {
	const plain = curl(method, address(path, query), body);
	return key ? plain.replace(/^curl /, `curl -H 'Authorization: Bearer ${placeholder}' `) : plain;
}

async function run(form, output) {
	const request = read(form), key = keyBox.value.trim();
	const shown = command(request, key);
	const code = h('div', {class: 'codebox'}, h('pre', {class: 'code', tabindex: '0'}, h('code', {}, shown)), copyButton(() => shown));
	output.replaceChildren(code, h('p', {class: 'hint spin'}, t('answer.loading')));
	try {
		const answer = await ask(request.path, {...request, key}, 1);
		const text = answer.data === null ? answer.header.get('Content-Type') ?? t('reference.empty') : JSON.stringify(answer.data, null, 2);
		output.replaceChildren(code, received(answer), h('pre', {class: 'code', tabindex: '0'}, h('code', {}, text)));
	} catch (problem) {
		output.replaceChildren(code, problemNotice(problem, () => run(form, output)),
			problem.body?.status ? h('pre', {class: 'code', tabindex: '0'}, h('code', {}, JSON.stringify(problem.body, null, 2))) : '');
	}
}

for (const form of document.querySelectorAll('form.try')) {
	const output = form.querySelector('[aria-live]');
	form.querySelector('[data-fill]').addEventListener('click', () => fill(form));
	form.addEventListener('submit', (event) => {
		event.preventDefault();
		run(form, output);
	});
}
