// Describes invalid fields in the page's language. Browsers would use their own.

import {number, t} from './text.js';

// complaint returns the error of a field, or an empty text.
export function complaint(input) {
	input.setCustomValidity('');
	const {validity, dataset} = input;
	if (validity.valid) return '';
	if (validity.valueMissing && input.type === 'checkbox') return dataset.missing ?? t('valid.check');
	if (validity.valueMissing) return input.tagName === 'SELECT' ? t('valid.choose') : t('valid.missing');
	if (validity.typeMismatch) return input.type === 'email' ? t('valid.email') : t('valid.url');
	if (validity.tooShort && input.type === 'password') return t('valid.password', {n: number(input.minLength)});
	if (validity.tooShort) return t('valid.short', {n: number(input.minLength)});
	if (validity.tooLong) return t('valid.long', {n: number(input.maxLength)});
	if (validity.rangeUnderflow) return t('valid.least', {n: input.min});
	if (validity.rangeOverflow) return t('valid.most', {n: input.max});
	if (validity.badInput) return input.type === 'date' ? t('valid.date') : t('valid.number');
	return t('valid.form');
}

// The messages of forms that the browser validates.
addEventListener('invalid', ({target}) => target.setCustomValidity(complaint(target)), true);
for (const change of ['input', 'change']) addEventListener(change, ({target}) => target.setCustomValidity?.(''), true);
