// The meanings of a hundred queries, in both languages, with and without diacritics. No browser is needed: the reader is
// a pure function.

import assert from 'node:assert/strict';
import {join} from 'node:path';
import test from 'node:test';
import {pathToFileURL} from 'node:url';

import {modules} from './modules.mjs';

const folder = await modules('meaning.js', 'money.js', 'day.js');
const {meaning} = await import(pathToFileURL(join(folder, 'meaning.js')));

const today = '2026-11-22';

const company = (cui) => ({kind: 'company', cui});
const vat = (number) => ({kind: 'vat', number});
const register = (number) => ({kind: 'register', number});
const caen = (code) => ({kind: 'caen', code});
const activity = (q) => ({kind: 'activity', q});
const place = (code) => ({kind: 'place', code});
const holidays = (year = '') => ({kind: 'holidays', year});
const rates = (date = '') => ({kind: 'rates', date});
const rate = (currency, date = '') => ({kind: 'rate', currency, date});
const convert = (amount, from, to, date = '') => ({kind: 'convert', amount, from, to, date});
const words = (q) => ({kind: 'words', q});

const cases = {
	companies: [
		['14399840', company('14399840')],
		['RO14399840', company('14399840')],
		['ro 14399840', company('14399840')],
		['RO 143 998 40', company('14399840')],
		['9900000010', company('9900000010')],
		['CUI 14399840', company('14399840')],
		['CUI: RO14399840', company('14399840')],
		['CIF RO 14399840', company('14399840')],
		['cod fiscal 14399840', company('14399840')],
		['cui 6210', company('6210')],
		['RO6210', company('6210')],
		['firma cui 14399840', company('14399840')],
		['verifică RO14399840', company('14399840')],
		['tva RO14399840', company('14399840')],
		['cod TVA 14399840', company('14399840')],
		['tax id 14399840', company('14399840')],
	],
	'VAT numbers of other states': [
		['DE811569869', vat('DE811569869')],
		['de 811 569 869', vat('DE811569869')],
		['DE-811.569.869', vat('DE811569869')],
		['ATU12345678', vat('ATU12345678')],
		['NL123456789B01', vat('NL123456789B01')],
		['IE1234567WA', vat('IE1234567WA')],
		['ESX1234567X', vat('ESX1234567X')],
		['FR XX 123456789', vat('FRXX123456789')],
		['EL123456789', vat('EL123456789')],
		['GR123456789', vat('EL123456789')],
		['XI123456789', vat('XI123456789')],
		['GB123456789', vat('GB123456789')],
		['verifică TVA DE811569869', vat('DE811569869')],
		['cod de TVA DE 811569869', vat('DE811569869')],
		['check VAT number DE811569869', vat('DE811569869')],
		['VIES: DE811569869', vat('DE811569869')],
		['CUI DE811569869', vat('DE811569869')],
		['cod fiscal DE811569869', vat('DE811569869')],
		['nif ESB94774437', vat('ESB94774437')],
		['CY12345678L', vat('CY12345678L')],
		['IE1X23456W', vat('IE1X23456W')],
		['XIGD123', vat('XIGD123')],
		['XI HA 512', vat('XIHA512')],
		['DE81156986', vat('DE81156986')], // too short, as the API explains
	],
	'trade-register numbers': [
		['J12/101/2012', register('J12/101/2012')],
		['j 12 / 101 / 2012', register('J12/101/2012')],
		['j12-101-2012', register('J12/101/2012')],
		['F08/45/2015', register('F08/45/2015')],
		['nr. reg. com. J12/101/2012', register('J12/101/2012')],
		['ROONRC.J12/101/2012', register('J12/101/2012')],
		['J12/101/14.03.2012', register('J12/101/2012')],
		['nr. reg. com. J12/101/2012 din 14.03.2012', register('J12/101/2012')],
		['ROONRC.J2012000101123 din data de 14/03/2012', register('J2012000101123')],
		['J2012000101123', register('J2012000101123')],
	],
	'activities and places': [
		['6210', caen('6210')],
		['62.10', caen('6210')],
		['62', caen('62')],
		['k', caen('K')],
		['caen 62', caen('62')],
		['cod CAEN 6210', caen('6210')],
		['CAEN: K', caen('K')],
		['caen taxi', activity('taxi')],
		['cod caen pentru frizerie', activity('frizerie')],
		['CAEN code for bakery', activity('bakery')],
		['siruta 54975', place('54975')],
		['cod SIRUTA: 54975', place('54975')],
	],
	holidays: [
		['sărbători', holidays()],
		['sarbatori 2027', holidays('2027')],
		['Sărbători legale 2027', holidays('2027')],
		['sărbătorile legale din 2026', holidays('2026')],
		['zile libere 2027', holidays('2027')],
		['zile libere legale în anul 2027', holidays('2027')],
		['zile nelucrătoare 2026', holidays('2026')],
		['zile libere anul viitor', holidays('2027')],
		['zile libere anul acesta', holidays()],
		['2027 sarbatori legale', holidays('2027')],
		['calendar sărbători 2027', holidays('2027')],
		['holidays 2027', holidays('2027')],
		['public holidays in Romania 2027', holidays('2027')],
		['bank holidays next year', holidays('2027')],
		['2027 bank holidays', holidays('2027')],
		['days off in 2026', holidays('2026')],
		['zile bancare 2027', holidays('2027')],
		['zile lucrătoare anul viitor', holidays('2027')],
		['bank days 2027', holidays('2027')],
		['vinerea mare 2027', holidays('2027')],
		['când e Paștele în 2027?', holidays('2027')],
		['Good Friday next year', holidays('2027')],
	],
	rates: [
		['eur', rate('EUR')],
		['euro', rate('EUR')],
		['€', rate('EUR')],
		['curs euro', rate('EUR')],
		['curs usd', rate('USD')],
		['cursul euro azi', rate('EUR')],
		['curs BNR euro', rate('EUR')],
		['euro curs bnr', rate('EUR')],
		['curs euro ieri', rate('EUR', '2026-11-21')],
		['curs euro 10/06/2026', rate('EUR', '2026-06-10')],
		['curs euro factura 16 martie 2026', rate('EUR', '2026-03-16')],
		['euro exchange rate for an invoice 16.03.2026', rate('EUR', '2026-03-16')],
		['Factura Exemplu SRL', words('Factura Exemplu SRL')],
		['curs euro 10.06.2026', rate('EUR', '2026-06-10')],
		['curs euro la data de 10 iunie 2026', rate('EUR', '2026-06-10')],
		['curs euro 2026-06-10', rate('EUR', '2026-06-10')],
		['curs euro din 10 iunie', rate('EUR', '2026-06-10')],
		['curs euro 24 decembrie', rate('EUR', '2025-12-24')],
		['euro exchange rate on 10 June 2026', rate('EUR', '2026-06-10')],
		['USD 10.06.2026', rate('USD', '2026-06-10')],
		['cât e dolarul?', rate('USD')],
		['curs liră sterlină', rate('GBP')],
		['curs lira', rate('GBP')],
		['franci elvețieni', rate('CHF')],
		['curs coroane suedeze', rate('SEK')],
		['preț aur', rate('XAU')],
		['curs leu moldovenesc', rate('MDL')],
		['curs valutar', rates()],
		['curs BNR', rates()],
		['curs valutar 10/06/2026', rates('2026-06-10')],
		['curs factură 16 martie 2026', rates('2026-03-16')],
		['curs pentru factura din 16.03.2026', rates('2026-03-16')],
		['exchange rates', rates()],
	],
	conversions: [
		['lei', convert('1', 'RON', 'EUR')],
		['100 euro', convert('100', 'EUR', 'RON')],
		['100 de euro', convert('100', 'EUR', 'RON')],
		['100€', convert('100', 'EUR', 'RON')],
		['$100', convert('100', 'USD', 'RON')],
		['$100 in lei', convert('100', 'USD', 'RON')],
		['€20 in usd', convert('20', 'EUR', 'USD')],
		['£50 in ron', convert('50', 'GBP', 'RON')],
		['$/lei', convert('1', 'USD', 'RON')],
		['de 100000 euro', convert('100000', 'EUR', 'RON')],
		['de 250000 lei', convert('250000', 'RON', 'EUR')],
		['1 milion euro', convert('1000000', 'EUR', 'RON')],
		['un milion de lei', convert('1000000', 'RON', 'EUR')],
		['2,25 milioane de euro', convert('2250000', 'EUR', 'RON')],
		['0.5 million euros in lei', convert('500000', 'EUR', 'RON')],
		['5 mii de lei', convert('5000', 'RON', 'EUR')],
		['$2.0005k in lei', convert('2000.5', 'USD', 'RON')],
		['3 miliarde de lei', convert('3000000000', 'RON', 'EUR')],
		['100 lei', convert('100', 'RON', 'EUR')],
		['100 lei în dolari', convert('100', 'RON', 'USD')],
		['100 eur in usd', convert('100', 'EUR', 'USD')],
		['100 EUR → USD', convert('100', 'EUR', 'USD')],
		['100 eur to usd', convert('100', 'EUR', 'USD')],
		['250 eur usd', convert('250', 'EUR', 'USD')],
		['eur/usd', convert('1', 'EUR', 'USD')],
		['EURUSD', words('EURUSD')],
		['1.250,50 EUR în RON', convert('1250.50', 'EUR', 'RON')],
		['1,250.50 eur', convert('1250.50', 'EUR', 'RON')],
		['1 000 lei', convert('1000', 'RON', 'EUR')],
		['100 ron 2026-06-10', convert('100', 'RON', 'EUR', '2026-06-10')],
		['100 euro 10/06/2026', convert('100', 'EUR', 'RON', '2026-06-10')],
		['250 EUR RON 2026-06-10', convert('250', 'EUR', 'RON', '2026-06-10')],
		['cât fac 100 de euro în lei?', convert('100', 'EUR', 'RON')],
		['how much is 100 euro in lei', convert('100', 'EUR', 'RON')],
		['convert 100 dollars to euros', convert('100', 'USD', 'EUR')],
		['50 lire sterline', convert('50', 'GBP', 'RON')],
		['500 lei moldovenești', convert('500', 'MDL', 'RON')],
	],
	words: [
		['fit lab', words('fit lab')],
		['  exemplu   transilvan ', words('exemplu transilvan')],
		['firma Exemplu Transilvan', words('Exemplu Transilvan')],
		['caută firma exemplu', words('exemplu')],
		['search for bakery', words('bakery')],
		['Firma', words('Firma')],
		['Firma X', words('Firma X')],
		['taxi', words('taxi')],
		['frizerie', words('frizerie')],
		['Cluj-Napoca', words('Cluj-Napoca')],
		['Iași', words('Iași')],
		['aur', words('aur')],
		['Crăciun', words('Crăciun')],
		['Milion Euro SRL', words('Milion Euro SRL')],
		['DE 100000 Exemplu', words('DE 100000 Exemplu')],
		['Aur Grup 2000 SRL', words('Aur Grup 2000 SRL')],
		['Euro Trans SRL', words('Euro Trans SRL')],
		['EURO 2000', words('EURO 2000')],
		['Dental Plus 2000', words('Dental Plus 2000')],
		['curs de șofat', words('curs de șofat')],
		['leul de aur', words('leul de aur')],
		['Sărbători Fericite SRL', words('Sărbători Fericite SRL')],
		['de la 1990 SRL', words('de la 1990 SRL')],
		['<img src=x onerror=document.title=1>', words('<img src=x onerror=document.title=1>')],
	],
};

for (const [kind, queries] of Object.entries(cases)) {
	test(`queries about ${kind}`, () => {
		for (const [text, wanted] of queries) {
			for (const lang of ['en', 'ro']) assert.deepEqual(meaning(text, {lang, today}), wanted, `${text} (${lang})`);
		}
	});
}

test('the language decides what a single separator before three digits means', () => {
	for (const [text, lang, amount] of [['1,250 eur', 'en', '1250'], ['1.250 eur', 'en', '1.250'], ['1.250 eur', 'ro', '1250'], ['1,250 eur', 'ro', '1.250']]) {
		assert.equal(meaning(text, {lang, today}).amount, amount, `${text} (${lang})`);
	}
});

// Any input gets a meaning, without a noticeable delay.
test('odd texts are read quickly', () => {
	for (const part of ['1', '1 ', '.,', 'RO', 'de ', 'curs ', 'euro ', 'A', 'caen ', 'zile libere ', '€', '\u0301', '(']) {
		const started = performance.now();
		assert.ok(meaning(part.repeat(200), {lang: 'ro', today}).kind, part);
		assert.ok(performance.now() - started < 1000, `${part} took ${performance.now() - started} ms`);
	}
});
