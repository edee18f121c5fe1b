// Says what is wrong with an input, from the errors of a problem. The server says the same: problem.go.

import {lang, t} from './text.js';

// aboutForm are the codes that say that a value is missing or is not written as it should be.
const aboutForm = new Set(['required', 'empty', 'invalid_type', 'invalid_format', 'check_digit', 'too_short', 'too_long']);

// about returns a sentence about one of a problem's errors, and what is accepted; that is empty when only the API's English says it.
function about({parameter, code, suggestion}) {
	const name = parameter ? t(`param.${parameter}`, {}, t('said.parameter', {parameter})) : t('said.whole');
	const accepted = aboutForm.has(code) ? t(`accepts.${parameter}`, {}, '') : '';
	const said = t(`input.${code}`, {name}, '');
	return {
		sentence: [said && said[0].toUpperCase() + said.slice(1), suggestion && t('said.suggestion', {suggestion})].filter(Boolean).join(' '),
		accepted: accepted && t('said.accepted', {accepted}),
	};
}

// wrong says in one text what is wrong with a call: in the page's language, followed by the problem's English detail
// where the language has no words for what is accepted. Empty when a code is not known here.
export function wrong({errors = [], message}) {
	const said = errors.map(about);
	if (!said.length || !said.every(({sentence}) => sentence)) return '';
	if (said.every(({accepted}) => accepted)) return said.map(({sentence, accepted}) => `${sentence} ${accepted}`).join(' ');
	return [...said.map(({sentence}) => sentence), message].join(' ');
}
