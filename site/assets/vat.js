// The check of a VAT number with VIES.

import {ask} from './api.js';
import {fact, facts, h} from './dom.js';
import {problemNotice} from './page.js';
import {lasting, t, time} from './text.js';

// kinds are the badges of the three answers. An unknown result never looks like an invalid one.
const kinds = {valid: 'good', invalid: 'bad', unknown: 'unknown'};

// showVATNumber checks a number. Impossible numbers and states that do not answer have their own cards.
export async function showVATNumber({number}, signal) {
	const request = {path: `/v1/vat-numbers/${encodeURIComponent(number)}`, query: {}, tool: 'check_vat_number', args: {id: number}};
	try {
		const answer = await ask(request.path, {signal});
		return {cards: [card(number, answer.data)], request, answer, said: `${number}: ${t(`vat.${answer.data.status}`)}`};
	} catch (problem) {
		const sentence = [502, 503, 504].includes(problem.status) ? t('vat.unasked') : problem.status === 400 ? fault(number, problem) : '';
		if (!sentence) throw problem;
		const detail = problem.status === 400 ? null : problemNotice(problem);
		return {cards: [h('article', {class: 'card'}, h('h2', {}, number), h('p', {}, sentence), detail)], request, said: `${number}: ${sentence}`};
	}
}

// fault describes the error of an impossible number.
function fault(number, {body}) {
	if (number.startsWith('GB')) return t('vat.britain');
	return body.errors?.[0]?.code === 'check_digit' ? t('vat.mistyped') : t('vat.malformed');
}

function card(number, found) {
	const {status, name, address, requestDate, consultationNumber, lastKnown, retryAfterSeconds} = found;
	return h('article', {class: 'card'},
		h('h2', {}, name ?? number),
		h('p', {class: 'badges'}, h('span', {class: `badge ${kinds[status] ?? 'unknown'}`}, t(`vat.${status}`))),
		status === 'unknown' ? h('p', {class: 'notice'}, t('vat.unasked'), retryAfterSeconds ? ` ${t('vat.retry', {time: lasting(retryAfterSeconds)})}` : '') : null,
		facts(
			fact(t('vat.number'), found.vatNumber), fact(t('vat.state'), country(found.countryCode)),
			fact(t('vat.address'), address, 'full'), fact(t('vat.consultation'), consultationNumber),
			fact(t('vat.lastKnown'), lastKnown && `${t(`vat.${lastKnown.status}`)}, ${time(lastKnown.at)}`)),
		status === 'valid' && !name ? h('p', {class: 'hint'}, t('vat.nameless')) : null,
		h('ul', {class: 'origins'}, h('li', {}, h('b', {}, 'VIES'), requestDate ? ` · ${t('source.asked', {time: time(requestDate)})}` : '')));
}

// country returns the name of a state. VIES has its own codes for Greece and Northern Ireland.
const country = (code) => code === 'XI' ? t('vat.northernIreland') : new Intl.DisplayNames(document.documentElement.lang, {type: 'region'}).of(code === 'EL' ? 'GR' : code);
