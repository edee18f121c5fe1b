// The badges of a company in a list.

import {h} from './dom.js';
import {day, t} from './text.js';

const badStates = new Set(['suspended', 'dissolved', 'in_liquidation', 'in_reorganization', 'insolvent', 'bankrupt', 'struck_off']);

// stateOf rates the state in the trade register. It is never good, because a search does not ask the tax authority.
export function stateOf(state) {
	if (badStates.has(state)) return {kind: 'bad', text: t(`state.${state}`)};
	if (state === 'in_operation') return {kind: 'neutral', text: t('state.in_operation')};
	return {kind: 'unknown', text: t('verdict.state')};
}

const badge = (fact, {kind, text}) => h('span', {class: `badge ${kind}`, 'data-fact': fact}, text);

// stateBadge returns the state as a badge.
export const stateBadge = (state) => badge('state', stateOf(state));

// watchedBadges returns the badges of a watched company, the worst first. As none of its registers says everything, no
// badge is good.
export function watchedBadges({state, paid, stateRegistration, inactive, vatPayer, vatEndedOn}) {
	const rank = ['bad', 'unknown', 'neutral'];
	const all = {
		paid: !paid && {kind: 'bad', text: t('watched.unpaid')},
		found: {new: {kind: 'neutral', text: t('watched.new')}, not_found: {kind: 'bad', text: t('watched.not_found')}}[state],
	};
	if (state !== 'not_found') {
		all.state = stateOf(stateRegistration);
		all.inactive = inactive === null ? {kind: 'unknown', text: t('verdict.inactive')} : inactive && {kind: 'bad', text: t('company.inactive')};
		if (vatPayer === null) all.vat = {kind: 'unknown', text: t('verdict.vat')};
		else if (vatEndedOn) all.vat = {kind: 'bad', text: t('company.vatEndedOn', {date: day(vatEndedOn)})};
		else all.vat = {kind: 'neutral', text: t(vatPayer ? 'company.vat' : 'company.noVat')};
	}
	// Before the first check, it says nothing that some facts are unknown.
	return Object.entries(all).filter(([, one]) => one && (state !== 'new' || one.kind !== 'unknown')).sort(([, a], [, b]) => rank.indexOf(a.kind) - rank.indexOf(b.kind)).map((one) => badge(...one));
}

// cuiNote returns the number by which a company can be found, or says that the register lists none.
export const cuiNote = (company) => company.taxId ? `CUI ${company.taxId}` : t('company.noCui');
