// A company in a list of search results.

import {h} from './dom.js';
import {t} from './text.js';

const badStates = new Set(['suspended', 'dissolved', 'in_liquidation', 'in_reorganization', 'insolvent', 'bankrupt', 'struck_off']);

// stateOf rates the state in the trade register. It is never good, because a search does not ask the tax authority.
export function stateOf(state) {
	if (badStates.has(state)) return {kind: 'bad', text: t(`state.${state}`)};
	if (state === 'in_operation') return {kind: 'neutral', text: t('state.in_operation')};
	return {kind: 'unknown', text: t('verdict.state')};
}

// stateBadge returns the state as a badge.
export function stateBadge(state) {
	const {kind, text} = stateOf(state);
	return h('span', {class: `badge ${kind}`, 'data-fact': 'state'}, text);
}

// cuiNote returns the number by which a company can be found, or says that the register lists none.
export const cuiNote = (company) => company.taxId ? `CUI ${company.taxId}` : t('company.noCui');
