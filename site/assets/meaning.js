// What a person means who types something into the search box.

import {lang} from './text.js';

const currencies = new Set(('AED AUD BGN BRL CAD CHF CNY CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KRW MDL MXN MYR NOK NZD PHP PLN RON RSD RUB SEK SGD ' +
	'THB TRY UAH USD XAU XDR ZAR').split(' '));

const day = String.raw`(?:\s+(?:(?:on|la|pe|din)\s+)?(\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.\d{4}))?`;
const exchange = new RegExp(String.raw`^([\d.,\s]*\d)?\s*([a-z]{3})(?:\s*(?:to|in|în|->|→|/|=|\s)\s*([a-z]{3}))?${day}$`, 'i');

// meaning gives {kind: company, caen, rate, convert or words} and what belongs to it.
export function meaning(text) {
	const typed = text.trim().replace(/\s+/g, ' ');
	const digits = typed.replace(/\s/g, '');
	if (/^RO\d+$/i.test(digits) || /^\d{5,}$/.test(digits)) return {kind: 'company', cui: digits.replace(/^RO/i, '')};
	if (/^(\d{2,4}|[a-v])$/i.test(typed)) return {kind: 'caen', code: typed.toUpperCase()};
	const caen = typed.match(/^caen\s+(\d{2,4}|[a-v])$/i);
	if (caen) return {kind: 'caen', code: caen[1].toUpperCase()};
	return money(typed) ?? {kind: 'words', q: typed};
}

// money reads "EUR", "250 EUR USD", "1.250,50 eur în ron", each with a day or not.
function money(typed) {
	const [, amount, first, second, date] = typed.match(exchange) ?? [];
	const from = first?.toUpperCase(), to = second?.toUpperCase();
	if (!currencies.has(from) || to && !currencies.has(to)) return null;
	if (amount || to || from === 'RON') return {kind: 'convert', amount: amount ? decimal(amount) : '1', from, to: to ?? (from === 'RON' ? 'EUR' : 'RON'), date: isoDay(date)};
	return {kind: 'rate', currency: from, date: isoDay(date)};
}

// decimal reads an amount with either language's separators. The last of two
// different ones is the decimal one; a single one before three digits is as the
// page's language has it.
export function decimal(text) {
	const bare = text.replace(/\s/g, '');
	const comma = bare.lastIndexOf(','), point = bare.lastIndexOf('.');
	let separator = comma > point ? ',' : '.';
	if (comma < 0 || point < 0) {
		const grouped = bare.split(separator).length > 2 || new RegExp(`\\${separator}\\d{3}$`).test(bare) && separator === (lang === 'ro' ? '.' : ',');
		if (grouped) separator = separator === ',' ? '.' : ',';
	}
	return bare.replaceAll(separator === ',' ? '.' : ',', '').replace(separator, '.');
}

function isoDay(text) {
	const [, d, m, y] = text?.match(/^(\d{1,2})\.(\d{1,2})\.(\d{4})$/) ?? [];
	return y ? `${y}-${m.padStart(2, '0')}-${d.padStart(2, '0')}` : text ?? '';
}
