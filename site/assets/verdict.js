// What a profile says of a company, decided in one place: badges in the order in
// which they matter, and notices about registers that left something open. It is
// pure: it touches neither the page nor the network, and is handed the words and
// the time.
//
// A badge is {fact, kind, text}. Its kind is
//
//   bad      the company is inactive, insolvent, struck off, no longer registered for VAT ...
//   unknown  no register said it
//   good     it is as one hopes
//   neutral  it is neither, or it is as one hopes in a profile that is not good as a whole
//
// Only a profile in which nothing is bad, unknown or out of date has good badges:
// a glance at the colour must not reassure anyone about what nobody has checked.

const order = ['bad', 'unknown', 'good', 'neutral'];
const badStates = new Set(['suspended', 'dissolved', 'in_liquidation', 'in_reorganization', 'insolvent', 'bankrupt', 'struck_off']);

// outOfDate is the age from which a release of the trade register, which appears
// about once a month, no longer describes the present.
const outOfDate = 92 * 86400e3;

const medium = {dateStyle: 'medium'};

// verdict judges a profile of GET /v1/companies/{cui}. The words are t, day and
// time, as text.js has them.
export function verdict(company, words, now = Date.now()) {
	const registers = {anaf: register(company, 'anaf', words, now), onrc: register(company, 'onrc', words, now)};
	const found = facts(company, registers, words);
	const whole = found.every(({kind}) => kind === 'good' || kind === 'neutral') && Object.values(registers).every(({stale}) => !stale);
	const badges = found.map(({fact, kind, text, from}) => ({
		fact, kind: kind === 'good' && !whole ? 'neutral' : kind,
		text: registers[from]?.stale && kind !== 'unknown' ? words.t('verdict.asOf', {text, time: registers[from].age}) : text,
	}));
	return {badges: sorted(badges), notices: Object.keys(registers).flatMap((name) => notices(name, registers[name], found, words))};
}

// stateOf judges what a search knows of a company, which is the trade register's
// state alone: never good, since nobody has looked at taxes.
export function stateOf(state, {t}) {
	if (badStates.has(state)) return {fact: 'state', kind: 'bad', text: t(`state.${state}`)};
	if (state === 'in_operation') return {fact: 'state', kind: 'neutral', text: t('state.in_operation')};
	return {fact: 'state', kind: 'unknown', text: t('verdict.state')};
}

// given reports whether all of some registers were asked and had the company.
export const given = (company, ...names) => names.every((name) => standing(company, name) === 'asked');

const sorted = (badges) => [...badges].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));

const source = (company, name) => company.sources?.find((one) => one.name === name);

// standing is failed when the tax authority could not be asked, silent when it does
// not know the number, none when the trade register has nothing on it, else asked.
function standing(company, name) {
	const one = source(company, name);
	if (name === 'onrc' && !one) return 'none';
	if (!one?.retrievedAt) return 'failed';
	const silent = name === 'anaf' && [company.registrationStatus, company.vatPayer, company.inactive, company.eInvoice].every((value) => value == null);
	return silent ? 'silent' : 'asked';
}

// register says how a register stands, whether what it says is out of date, and of
// when that is.
function register(company, name, {day, time}, now) {
	const one = source(company, name), stands = standing(company, name);
	const old = name === 'onrc' && one?.asOf && now - Date.parse(one.asOf) > outOfDate;
	return {
		stands, stale: stands === 'asked' && Boolean(one.stale || old),
		age: name === 'onrc' && one?.asOf ? day(one.asOf, medium) : one?.retrievedAt ? time(one.retrievedAt) : '',
	};
}

// facts are the badges in the order of the facts, each with the register it is from.
function facts(company, registers, {t, day}) {
	const dated = (plain, withDate, date) => date ? t(withDate, {date: day(date, medium)}) : t(plain);
	const judged = (fact, value, from, judge) => ({fact, from, ...value == null ? {kind: 'unknown', text: t(`verdict.${fact}`)} : judge(value)});
	return [
		...states(company, registers, {t, day}),
		judged('inactive', company.inactive?.status, 'anaf', (inactive) => inactive ?
			{kind: 'bad', text: dated('company.inactive', 'company.inactiveSince', company.inactive.since)} : {kind: 'good', text: t('company.notInactive')}),
		judged('vat', company.vatPayer, 'anaf', (pays) => pays ? {kind: 'good', text: dated('company.vat', 'company.vatSince', company.vatSince)} : formerVAT(company, {t}, dated)),
		judged('eInvoice', company.eInvoice?.registered, 'anaf', (registered) => registered ?
			{kind: 'good', text: t('company.eInvoice')} : {kind: 'neutral', text: t('company.noEInvoice')}),
		judged('vatOnCollection', company.vatOnCollection, 'anaf', (applies) => ({kind: 'neutral', text: applies ? t('company.vatOnCollection') : ''})),
	].filter(({text}) => text);
}

// states are what the registers say about the existence of a company. The tax
// authority learns within days that a company has ended, the trade register's
// releases a month later; insolvency only the latter tells.
function states(company, registers, {t, day}) {
	const state = company.stateRegistration, struckOff = company.inactive?.struckOffOn, told = company.registrationStatus ?? '';
	const list = [{...stateOf(state, {t}), from: registers.onrc.stands === 'asked' ? 'onrc' : 'anaf'}];
	if (list[0].kind === 'neutral') list[0].kind = 'good';
	if (list[0].kind !== 'bad') {
		const ended = struckOff ? t('company.struckOffOn', {date: day(struckOff, medium)}) : /^\s*(radi|dizolv|suspend)/i.test(told) ? t('company.told', {text: told}) : '';
		if (ended) list.push({fact: 'ended', kind: 'bad', from: 'anaf', text: ended});
		if (registers.onrc.stands !== 'asked') list.push({fact: 'insolvency', kind: 'unknown', from: 'onrc', text: t('verdict.insolvency')});
	}
	return list;
}

// formerVAT is for a company that does not pay VAT: it may have done so before.
function formerVAT(company, {t}, dated) {
	const last = company.vatPeriods?.at(-1);
	if (!last) return {kind: 'neutral', text: t('company.noVat')};
	return {kind: 'bad', text: dated('company.vatEnded', 'company.vatEndedOn', last.canceledOn ?? last.to)};
}

// notices say of a register that it left facts open, and why, or that it is out of
// date. A notice is {register, kind, text}, of the kind unknown or stale.
function notices(name, {stands, stale, age}, found, {t}) {
	const registry = t(`registry.${name}`), list = [];
	const open = found.filter(({kind, from}) => kind === 'unknown' && from === name).map(({fact}) => t(`open.${fact}`)).join(', ');
	if (open || stands === 'failed') {
		const text = [t(`notice.${stands}`, {registry}), open && t('notice.open', {facts: open})].filter(Boolean).join(' ');
		list.push({register: name, kind: 'unknown', text});
	}
	if (stale) list.push({register: name, kind: 'stale', text: t('notice.stale', {registry, time: age})});
	return list;
}
