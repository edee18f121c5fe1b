// Reads queries about exchange rates: "curs euro 10/06/2026", "100 eur in usd", "cât fac 1.250,50 euro în lei?".

import {takeDay} from './day.js';

// names are the currencies of the central bank, each with its common names besides its code.
const names = {
	EUR: '€|euro|euros|euroi', RON: 'lei|leu|leul|leii|lei romanesti|romanian leu|romanian lei',
	USD: '\\$|dolar|dolari|dolarul|dolarul american|dolari americani|dollars?|us dollars?|american dollars?',
	GBP: '£|lira|lire|lira sterlina|lire sterline|sterling|pounds?|british pounds?|pounds? sterling',
	CHF: 'franc|franci|francul|franc elvetian|francul elvetian|franci elvetieni|swiss francs?',
	MDL: 'leu moldovenesc|leul moldovenesc|lei moldovenesti|moldovan leu|moldovan lei', HUF: 'forint|forinti|forintul|forints',
	PLN: 'zlot|zloti|zlotul|zloty|zlotys', BGN: 'leva|leve|leva bulgareasca|leve bulgaresti|bulgarian lev|bulgarian leva',
	CZK: 'coroana ceha|coroane cehe|coroane cehesti|czech crowns?|czech koruna', SEK: 'coroana suedeza|coroane suedeze|swedish krona|swedish kronor',
	NOK: 'coroana norvegiana|coroane norvegiene|norwegian krone|norwegian kroner', DKK: 'coroana daneza|coroane daneze|danish krone|danish kroner',
	ISK: 'coroana islandeza|coroane islandeze|icelandic krona', TRY: 'lira turceasca|lire turcesti|turkish liras?', UAH: 'grivna|grivne|hrivna|hrivne|hryvnia',
	RSD: 'dinar sarbesc|dinari sarbesti|serbian dinars?', JPY: '¥|yen|yeni', CNY: 'yuan|yuani', RUB: 'rubla|ruble|rubles', ILS: 'sekel|sekeli|shekels?',
	CAD: 'dolar canadian|dolari canadieni|canadian dollars?', AUD: 'dolar australian|dolari australieni|australian dollars?', INR: 'rupii indiene|indian rupees?',
	XAU: 'aur|gold|gram de aur|gold gram', XDR: 'dst|sdr',
};
const codes = 'AED BRL EGP HKD IDR KRW MXN MYR NZD PHP SGD THB ZAR'.split(' ');

const patterns = [...Object.entries(names), ...codes.map((code) => [code, ''])].map(([code, all]) => {
	const longestFirst = [code.toLowerCase(), ...all.split('|')].filter(Boolean).sort((a, b) => b.length - a.length);
	return [code, new RegExp(`^(?:${longestFirst.join('|')})(?![a-z])`)];
});

// other are names that are also ordinary words or place names. Alone, they do not mean money.
const other = new Set(['aur', 'gold', 'lira', 'lire', 'leva', 'leve', 'sterling', 'pound', 'pounds', 'ruble', 'rubla']);

// asks are words that indicate a query about exchange rates, and fillers between them.
const asks = /^(?:(?:cat (?:e|este|face|fac|inseamna|valoreaza|costa)|care (?:e|este)|how much (?:is|are)|what(?: i|')s|curs(?:ul)?|valutar|schimb(?:ul)?|schimba|cotati[ea]|converteste|convertire|conversi[ea]|transforma|pret(?:ul)?|exchange|rates?|convert|price|fx|bnr|oficial|official|factur(?:a|ii)|invoice|the|of|for|pentru|al|a|la|de|din|un|o|one)(?:\s+|$))+/;
const asksAfter = /(?:\s+(?:curs(?:ul)?|valutar|bnr|exchange|rate|price|pret|(?:pentru |for )?(?:factur(?:a|ii)|(?:an )?invoice)))+$/;
const between = /^(?:(?:to|in|into|la|spre|catre)\s+|(?:->|→|>|\/|=)\s*)?/;

// sum is an amount with its currency before ($100) or after it (2 mii de lei). If the currency is before the amount, the
// next currency is the target.
const sum = /^([$€£¥]?)\s*((?:\d[\d., ]*)?)\s*(?:(mi[ei]|thousand|k|mil|mln|milion|milioane|millions?|m|miliarde?|billions?|bn)(?![a-z])\.?\s*)?(?:de )?(.*)$/;
const zeros = (many) => /^(?:mi[ei]|thousand|k)$/.test(many) ? 3 : /^(?:miliard|b)/.test(many) ? 9 : 6;

// times multiplies a decimal by a power of ten, by moving the point.
function times(amount, zeros) {
	const [whole, fraction = ''] = amount.split('.'), digits = fraction.padEnd(zeros, '0');
	return `${whole}${digits.slice(0, zeros)}.${digits.slice(zeros)}`.replace(/^0+(?=\d)/, '').replace(/\.$/, '');
}

// money returns a rate, a conversion, all rates of a day, or null if the text is about something else.
export function money(folded, {lang, today}) {
	const {date, rest} = takeDay(folded, today);
	const bare = rest.replace(asks, '').replace(asksAfter, '');
	if (!bare) return /\b(?:curs(?:ul)?|valutar|fx|exchange rates?)\b/.test(rest) ? {kind: 'rates', date} : null;

	const [, symbol, number, many, unit] = bare.match(sum);
	const first = symbol ? {...take(symbol), rest: unit} : take(unit);
	if (!first) return null;
	const amount = many ? times(decimal(number || '1', lang), zeros(many)) : number && decimal(number, lang);
	const second = first.rest && take(first.rest.replace(between, ''));
	if (first.rest && (!second || second.rest)) return null;
	if (other.has(first.name) && !amount && !second && bare === folded) return null;

	const from = first.code, to = second?.code;
	if (!amount && !to && from !== 'RON') return {kind: 'rate', currency: from, date};
	return {kind: 'convert', amount: amount || '1', from, to: to ?? (from === 'RON' ? 'EUR' : 'RON'), date};
}

// take reads a currency at the beginning of a text, by its longest name, and returns it with the rest.
function take(text) {
	const found = patterns.flatMap(([code, pattern]) => {
		const name = text.match(pattern)?.[0];
		return name ? [{code, name, rest: text.slice(name.length).trim()}] : [];
	});
	return found.sort((a, b) => b.name.length - a.name.length)[0];
}

// decimal reads an amount with the separators of either language. If there are two different separators, the last is the
// decimal separator. The page's language decides about a single one before three digits.
export function decimal(text, lang) {
	const bare = text.replace(/\s/g, '');
	const comma = bare.lastIndexOf(','), point = bare.lastIndexOf('.');
	let separator = comma > point ? ',' : '.';
	if (comma < 0 || point < 0) {
		const grouped = bare.split(separator).length > 2 || new RegExp(`\\${separator}\\d{3}$`).test(bare) && separator === (lang === 'ro' ? '.' : ',');
		if (grouped) separator = separator === ',' ? '.' : ',';
	}
	return bare.replaceAll(separator === ',' ? '.' : ',', '').replace(separator, '.');
}
