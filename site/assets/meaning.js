// Parses the text of the search box. It is pure: it gets the page's language and today's date as arguments, and uses
// neither the page nor the network.

import {money} from './money.js';

// fold converts a text to lower case, without diacritics, question marks and repeated spaces.
export const fold = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/[?!]+/g, ' ').replace(/\s+/g, ' ').trim();

// meaning returns one of these, from the first reader that understands the text:
//
//   {kind: 'company', cui}              a company by its CUI
//   {kind: 'vat', number}               a VAT number of another state of the Union
//   {kind: 'register', number}          a company by its trade-register number
//   {kind: 'caen', code}                an activity by its code
//   {kind: 'activity', q}               activities by words
//   {kind: 'place', code}               a place by its SIRUTA code
//   {kind: 'holidays', year}            public holidays; without a year, those of the current one
//   {kind: 'rates', date}               all exchange rates of a day; without a date, the latest
//   {kind: 'rate', currency, date}      one exchange rate
//   {kind: 'convert', amount, from, to, date}
//   {kind: 'words', q}                  anything else: names of companies, activities and places
//
// Today is the date in Bucharest, as 2026-11-20.
export function meaning(text, {lang, today}) {
	const typed = text.trim().replace(/\s+/g, ' '), folded = fold(text);
	for (const read of readers) {
		const found = read(folded, {lang, today});
		if (found) return found;
	}
	return {kind: 'words', q: typed.replace(orders, '')};
}

// orders are leading words such as "caută" that the search ignores.
const orders = /^(?:(?:caut[aă]?|verific[aă]?|check|find|search(?: for)?|firma|compania|societatea|company)\s+)+(?=\S{2})/iu;

const readers = [vatNumber, company, tradeNumber, activity, place, holidays, money];

// asks are words before a number that state its kind, or the request.
const asks = /^(?:(?:verific(?:a|are|ati)?|caut[ai]?|cautare|check|validate|find|search|look up|lookup|vies|vat|tva|cui|cif|nif|tax|nr\.?|no\.?|numar(?:ul)?|number|id|cod(?:ul)?(?: de)?|fiscal|ue|eu|intracomunitar)[\s:]+)+/;

// vatForm has the prefixes of VAT numbers in VIES, Greece's other prefix, and the former prefix of Great Britain, which
// the API explains. Romanian numbers are companies. Letters are accepted only in states whose numbers contain letters, so
// "de 100000 euro" is an amount and not a German number.
const vatForm = new RegExp('^(?:' + [
	'(?:BE|BG|CZ|DE|DK|EE|EL|FI|GR|HR|HU|IT|LT|LU|LV|MT|PL|PT|SE|SI|SK)\\d{7,13}',
	'(?:AT|CY|ES|FR|GB|IE|NL|XI)(?=(?:[A-Z]*\\d){6})(?=.{7,13}$)[0-9A-Z]{2}\\d{4,}(?:[A-Z]{1,2}|B\\d\\d)?',
	'(?:GB|XI)(?:GD|HA)\\d{3}',
].join('|') + ')$');

// vatNumber reads DE811569869, also in groups. The API checks the format.
function vatNumber(folded) {
	const [number] = folded.replace(asks, '').replace(/[\s.-]/g, '').toUpperCase().match(vatForm) ?? [];
	return number ? {kind: 'vat', number: number.replace(/^GR/, 'EL')} : null;
}

// company reads a CUI: after a word for it or RO, or a number of at least five digits; shorter ones may be activities.
function company(folded) {
	const named = folded.match(/^(?:(?:firma|societatea|company)\s+)?(?:cui|cif|cod fiscal|cod unic(?: de inregistrare)?|tax id|ro)[\s:.]*(?:ro)?\s*(\d[\d ]*)$/);
	const digits = (named?.[1] ?? folded.replace(asks, '').replace(/^ro\s*(?=\d)/, '')).replaceAll(' ', '');
	const certain = named || /^ro\s*\d/.test(folded.replace(asks, ''));
	return /^\d+$/.test(digits) && (certain || digits.length > 4) ? {kind: 'company', cui: digits} : null;
}

// tradeNumber reads J12/101/2012, and the form without slashes that the trade register has used since 2024, each also as
// an EUID and with the day of registration.
function tradeNumber(folded) {
	const bare = folded.replace(/^(?:(?:nr|numar|reg|registrul|comertului|com|orc|onrc|trade|register|number)[\s.:]+)+/, '')
		.replace(/^roonrc\./, '').replace(/ din (?:data de )?[\d./-]{10}$/, '');
	const [, kind, county, number, year] = bare.match(/^([jfc]) ?(\d{1,2}) ?[/ -] ?(\d{1,7}) ?[/ -] ?(?:\d\d\.\d\d\.)?(\d{4})$/) ?? [];
	if (kind) return {kind: 'register', number: `${kind.toUpperCase()}${county}/${number}/${year}`};
	return /^[jfc]\d{13}$/.test(bare) ? {kind: 'register', number: bare.toUpperCase()} : null;
}

// activity reads 6210, 62.10, K, and "cod CAEN" before a code or words.
function activity(folded) {
	const [, code] = folded.match(/^(?:(?:cod(?:ul)? )?caen(?: code)?(?: rev\.? ?\d)?[: ]+)?(\d\d(?:\.?\d{1,2})?|[a-v])$/) ?? [];
	if (code) return {kind: 'caen', code: code.replace('.', '').toUpperCase()};
	const [, q] = folded.match(/^(?:cod(?:ul)? )?caen(?: code)?(?: (?:pentru|pt|for))? (.{2,})$/) ?? [];
	return q ? {kind: 'activity', q} : null;
}

function place(folded) {
	const [, code] = folded.match(/^(?:cod(?:ul)? )?siruta(?: code)?[: ]+(\d{1,6})$/) ?? [];
	return code ? {kind: 'place', code} : null;
}

const dayOff = '(?:zi(?:le(?:le)?)? (?:libere?|(?:ne)?lucratoare|bancare|de sarbatoare|legale)|sarbator(?:i|ile)|(?:public |bank |national |legal )?holidays?|(?:non-?working |bank )?days off|(?:bank(?:ing)?|business|working) days)(?: legale| nationale| publice| libere| bancare)*';
const whichYear = '(\\d{4}|anul viitor|next year|anul (?:acesta|asta)|this year)';
const daysOff = new RegExp(`^(?:calendar(?:ul)? (?:de |cu |of )?)?(?:${whichYear} )?${dayOff}(?: (?:in |din |of )?(?:romania|romanian?))?(?: (?:in|din|pe|pentru|for|of|anul))*(?: ${whichYear})?$`);
const feast = new RegExp(`^(?:(?:cand|when) (?:e|este|sunt|pica|cade|is) )?(?:vinerea mare|paste(?:le)?|rusalii(?:le)?|craciun(?:ul)?|boboteaza|good friday|easter|whitsun|pentecost|christmas)(?: (?:in|din|pe|of))? ${whichYear}$`);

// holidays reads "sărbători 2027", "zile bancare anul viitor", "bank holidays in 2027", and a feast with a year, since
// some feasts are also surnames.
function holidays(folded, {today}) {
	const found = folded.match(daysOff) ?? folded.match(feast);
	if (!found) return null;
	const year = found[1] ?? found[2] ?? '';
	if (/viitor|next/.test(year)) return {kind: 'holidays', year: `${Number(today.slice(0, 4)) + 1}`};
	return {kind: 'holidays', year: /^\d/.test(year) ? year : ''};
}
