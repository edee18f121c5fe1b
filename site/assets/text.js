// The sentences of the page's language, and its formats of numbers and dates.

import sentences from './sentences.js';

export const lang = document.documentElement.lang;
const locale = {en: 'en-GB', ro: 'ro-RO'}[lang];

// t looks up a sentence and fills in {names}. other is returned for an unknown key.
export function t(key, values = {}, other = key) {
	return (sentences[key] ?? other).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

// plural picks key.one, key.few or key.other for a count, by the rules of the language, and fills in {names}.
export function plural(key, n, values = {}) {
	const form = `${key}.${new Intl.PluralRules(locale).select(n)}`;
	return t(form in sentences ? form : `${key}.other`, {n: number(n), ...values});
}

export const number = (n, options = {}) => new Intl.NumberFormat(locale, options).format(n);
export const percent = (n, digits = 1) => number(n, {style: 'percent', maximumFractionDigits: digits});
export const compact = (n) => number(n, {notation: 'compact', maximumFractionDigits: 1});
export const money = (minor, currency) => number(minor / 100, {style: 'currency', currency});

// rate formats a rate with at least four decimals, like the central bank.
export const rate = (n) => number(n, {minimumFractionDigits: 4, maximumFractionDigits: 20});

// day formats a date (2026-11-20), which has no time zone.
export const day = (text, options = {dateStyle: 'long'}) => new Intl.DateTimeFormat(locale, {timeZone: 'UTC', ...options}).format(new Date(`${text}T00:00:00Z`));

// zone is the time zone of the registries.
const zone = {timeZone: 'Europe/Bucharest'};

// today returns the date in Bucharest, as 2026-11-20.
export const today = () => new Intl.DateTimeFormat('sv-SE', zone).format();

// time formats an instant in Romania's time zone, with the zone's name, as the server does: 10 June 2026, 14:05 EEST.
export const time = (text) => `${new Intl.DateTimeFormat(locale, {dateStyle: 'long', ...zone}).format(new Date(text))}, ${hour(text)}`;

// hour formats an instant as a time of the day in the same zone: 14:05 EEST.
export const hour = (text) => new Intl.DateTimeFormat(locale, {hour: '2-digit', minute: '2-digit', timeZoneName: 'short', ...zone}).format(new Date(text));

// ago formats the time since an instant.
export function ago(text) {
	const seconds = Math.max(0, (Date.now() - new Date(text)) / 1000);
	const relative = new Intl.RelativeTimeFormat(locale, {numeric: 'auto'});
	for (const [unit, length] of [['day', 86400], ['hour', 3600], ['minute', 60]]) {
		if (seconds >= length) return relative.format(-Math.floor(seconds / length), unit);
	}
	return t('ago.now');
}

// lasting formats a duration by its two largest units.
export function lasting(seconds) {
	let rest = Math.max(0, Math.round(seconds));
	const parts = [];
	for (const [unit, length] of [['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]]) {
		const n = Math.floor(rest / length);
		rest -= n * length;
		if (n) parts.push(number(n, {style: 'unit', unit, unitDisplay: 'short'}));
		else if (parts.length) break; // 2 days and 5 seconds are 2 days
	}
	return parts.slice(0, 2).join(' ') || number(0, {style: 'unit', unit: 'second', unitDisplay: 'short'});
}

// nameOf returns an activity's official name, or its English translation on English pages.
export const nameOf = ({name, nameEn}) => lang === 'en' && nameEn ? nameEn : name;
