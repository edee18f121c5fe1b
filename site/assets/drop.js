// A drop zone for a file, which can also be chosen with a button.

import {h} from './dom.js';

// dropZone passes the file to take, and shows the error that take throws.
export function dropZone({id, label, hint, accept}, take) {
	const input = h('input', {type: 'file', id, accept, 'aria-describedby': `${id}-hint`, onchange: () => choose(input.files[0])});
	const wrong = h('p', {role: 'alert', class: 'error'});
	const choose = async (file) => {
		if (!file) return;
		wrong.replaceChildren();
		try {
			await take(file);
		} catch (problem) {
			if (problem.status === undefined) throw problem;
			wrong.textContent = problem.message;
		}
		input.value = '';
	};
	const zone = h('div', {class: 'drop', ondragover: (event) => {
		event.preventDefault();
		zone.classList.add('over');
	}, ondragleave: () => zone.classList.remove('over'), ondrop: (event) => {
		event.preventDefault();
		zone.classList.remove('over');
		choose(event.dataTransfer.files[0]);
	}}, h('label', {for: id}, label), input, h('p', {class: 'hint', id: `${id}-hint`}, hint), wrong);
	return zone;
}
