// Describes invalid inputs from the errors of a problem. On the server, problem.go does the same.

import {lang, t} from './text.js';

// aboutForm are the codes for missing or malformed values.
const aboutForm = new Set(['required', 'empty', 'invalid_type', 'invalid_format', 'check_digit', 'too_short', 'too_long']);

// about returns a sentence about one of a problem's errors, and the accepted values; empty if only the API's English text
// describes it.
function about({parameter, code, suggestion}) {
	const name = parameter ? t(`param.${parameter}`, {}, t('said.parameter', {parameter})) : t('said.whole');
	const accepted = aboutForm.has(code) ? t(`accepts.${parameter}`, {}, '') : '';
	const whole = t(`input.${code}.${parameter}`, {}, ''), said = whole || t(`input.${code}`, {name}, '');
	return {
		sentence: [said && said[0].toUpperCase() + said.slice(1), suggestion && t('said.suggestion', {suggestion})].filter(Boolean).join(' '),
		accepted: accepted && t('said.accepted', {accepted}), isWhole: Boolean(whole),
	};
}

// wrong describes all errors of a call in the page's language. If the language has no words for the accepted values, the
// problem's English detail follows. It returns an empty text if it does not know a code.
export function wrong({errors = [], message}) {
	const said = errors.map(about);
	if (!said.length || !said.every(({sentence}) => sentence)) return '';
	if (said.every(({accepted, isWhole}) => accepted || isWhole)) return said.flatMap(({sentence, accepted}) => [sentence, accepted]).filter(Boolean).join(' ');
	return [...said.map(({sentence}) => sentence), message].filter(Boolean).join(' ');
}
