// Plans, payments and invoices.

import {ask} from './api.js';
import {h} from './dom.js';
import {reason} from './form.js';
import {day, money, number, plural, t} from './text.js';

export async function showPlans(body, {signed, go}) {
	const [{data: plans}, usage] = await Promise.all([ask('/v1/plans'), signed ? ask('/v1/usage') : null]);
	const told = h('div', {role: 'alert'});
	const current = usage?.data.plan;
	const sold = plans.some((plan) => plan.purchasable);
	body.append(h('p', {class: 'lead'}, t('plans.lead')), gains(), sold ? '' : h('p', {class: 'notice plain'}, t('plans.notSold')),
		h('div', {class: 'grid plans'}, plans.map((plan) => card(plan, current, signed, go, told))), told,
		signed ? h('p', {}, h('button', {type: 'button', class: 'link', onclick: () => leave('/v1/billing/portal', {}, told)}, t('plans.portal'))) : '',
		h('p', {class: 'hint'}, t('plans.vat')));
}

// gains lists the advantages of an account over calls without a key.
function gains() {
	const gain = (text) => h('li', {}, text);
	return h('section', {class: 'card'}, h('h3', {}, t('plans.gains')), h('ul', {}, gain(t('plans.gainRate')), gain(t('plans.gainDay')), gain(t('plans.gainCredits')),
		gain(t('plans.gainMonitoring')), gain(t('plans.gainJobs'))));
}

function card(plan, current, signed, go, told) {
	const mine = plan.code === current;
	const agreed = plan.listPriceEurMonthly === null, free = plan.listPriceEurMonthly === 0;
	const price = agreed ? h('small', {}, t('plans.ask')) : free ? t('plans.free') :
		[number(plan.listPriceEurMonthly, {style: 'currency', currency: 'EUR', minimumFractionDigits: 0}), h('small', {}, ` ${t('plans.monthly')}`)];
	return h('article', {class: `card ${mine ? 'current' : ''}`},
		h('h3', {}, plan.name, mine ? [' ', h('span', {class: 'badge good'}, t('plans.current'))] : null),
		h('p', {class: 'big'}, price),
		h('ul', {}, h('li', {}, plan.monthlyCredits < 0 ? t('plans.unlimited') : plural('plans.credits', plan.monthlyCredits)),
			h('li', {}, plural('plans.rate', plan.rateLimitRps, {burst: number(plan.rateLimitBurst)}))),
		agreed && !mine ? h('a', {class: 'button quiet', href: '/about/contact'}, t('plans.contact')) : mine || !plan.purchasable ? (signed || !free ? null : h('a', {class: 'button quiet', href: '/dashboard/sign-up'}, t('gate.signUp'))) :
			h('button', {type: 'button', class: 'button', onclick: () => signed ? leave('/v1/billing/checkout', {plan: plan.code}, told) : go('/dashboard/sign-up')}, t('plans.choose', {plan: plan.name})));
}

// leave goes to the payment provider, at the address that the API returns.
async function leave(path, body, told) {
	told.replaceChildren(h('p', {class: 'notice plain spin'}, t('plans.leaving')));
	try {
		const {data} = await ask(path, {method: 'POST', body});
		if (new URL(data.url).protocol !== 'https:') throw new Error(`not an address to pay at: ${data.url}`);
		location.assign(data.url);
	} catch (problem) {
		told.replaceChildren(unpaid(problem, path, () => leave(path, body, told)));
	}
}

// unpaid explains why no payment page is available. Nothing was charged.
function unpaid(problem, path, again) {
	if (problem.status === 404 && path.endsWith('/portal')) return h('p', {class: 'notice plain'}, t('plans.noPortal'));
	if (problem.status === 404 || problem.status === 503) return h('p', {class: 'notice plain'}, t('plans.unavailable'));
	return h('div', {class: 'notice bad'}, h('p', {}, t('plans.failed'), problem.status >= 500 ? '' : ` ${reason(problem)}`), h('p', {}, h('button', {type: 'button', class: 'link', onclick: again}, t('again'))));
}

const statusKind = {accepted: 'good', rejected: 'bad', failed: 'bad', pending: 'warn', processing: 'warn'};

export async function showInvoices(body) {
	let invoices;
	try {
		({data: {invoices}} = await ask('/v1/invoices'));
	} catch (problem) {
		if (problem.status !== 404 && problem.status !== 503) throw problem;
		return body.append(h('p', {class: 'notice plain'}, t('invoices.unavailable')));
	}
	const heads = ['number', 'date', 'net', 'vat', 'total', 'efactura'].map((column, i) => h('th', {scope: 'col', class: i > 1 && i < 5 && 'number'}, t(`invoices.${column}`)));
	body.append(h('div', {class: 'card'}, invoices.length ? h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': t('dashboard.invoices')}, h('table', {class: 'stack'},
		h('thead', {}, h('tr', {}, heads, h('th', {scope: 'col'}, 'PDF'))), h('tbody', {}, invoices.map(row)))) : h('p', {class: 'hint'}, t('invoices.none'))));
}

function row(invoice) {
	const cell = (column, value, kind) => h('td', {'data-label': t(`invoices.${column}`), class: kind}, value);
	const amount = (column, minor) => cell(column, money(minor, invoice.currency), 'number');
	return h('tr', {}, cell('number', h('b', {}, invoice.number)), cell('date', day(invoice.issueDate, {dateStyle: 'medium'})),
		amount('net', invoice.netTotal), amount('vat', invoice.vatTotal), amount('total', invoice.grossTotal),
		cell('efactura', h('span', {class: `badge ${statusKind[invoice.efacturaStatus] ?? ''}`}, t(`efactura.${invoice.efacturaStatus}`))),
		h('td', {'data-label': 'PDF'}, invoice.pdfReady ? h('a', {href: `/v1/invoices/${encodeURIComponent(invoice.id)}/pdf`, download: true}, t('invoices.pdf')) : h('span', {class: 'hint'}, t('invoices.soon'))));
}
