// Describes problems by their codes. The API's own words are English, for programs. On the server, problem.go does the same.

import {t} from './text.js';

// aboutValue are the codes that the accepted values explain.
const aboutValue = new Set(['required', 'empty', 'invalid_type', 'invalid_format', 'check_digit', 'too_short', 'too_long', 'out_of_range', 'not_one_of', 'not_found']);

// about returns sentences about one of a problem's errors; empty for an unknown code.
function about({parameter, code, suggestion, row, column}) {
	const name = parameter ? t(`param.${parameter}`, {}, t('said.parameter', {parameter})) : t('said.whole');
	const whole = t(`input.${code}.${parameter}`, {}, ''), said = whole || t(`input.${code}`, {name}, '');
	const accepted = !whole && aboutValue.has(code) ? t(`accepts.${parameter}`, {}, '') : '';
	const place = [row && t('said.row', {row}), column && t('said.column', {column})].filter(Boolean).join(', ');
	return [said && said[0].toUpperCase() + said.slice(1), place && t('said.place', {place}), suggestion && t('said.suggestion', {suggestion}), accepted && t('said.accepted', {accepted})].filter(Boolean).join(' ');
}

// explain describes the body of an error response: its code if it comes from /api/auth, or else its errors, or else its
// kind. inputs are the page's names of parameters. other is returned if there is no sentence.
export function explain({code, errors = [], type = ''}, other = t('gate.failed'), inputs = {}) {
	const kind = type.split('/').pop();
	return t(`auth.${code}`, {}, '') || errors.map((error) => about({...error, parameter: inputs[error.parameter] ?? error.parameter})).filter(Boolean).join(' ') ||
		[t(`means.${kind}`, {}, ''), t(`remedy.${kind}`, {}, '')].filter(Boolean).join(' ') || other;
}
