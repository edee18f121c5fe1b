// The widget: on its page here, and in a form of another host with a strict Content-Security-Policy.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import test, {after} from 'node:test';

import {base, looksRight, shot, withPage} from './browser.mjs';

// The shop has a page in each language, with its own names for fields, counties by code and a second form.
const form = `<form action="/order"><label>Firma <input name="company" data-rodata="company"></label>
	<label>Denumire <input name="name" data-rodata-field="name"></label> <label>CUI <input name="cui" data-rodata-field="taxId"></label>
	<label>TVA <input name="vat" data-rodata-field="vatId"></label> <label>Reg <input name="number" data-rodata-field="registrationNumber"></label>
	<label>Strada <input name="street" data-rodata-field="street"></label> <label>Oraș <input name="city" data-rodata-field="city"></label>
	<label>Adresa <textarea name="address" data-rodata-field="address"></textarea></label>
	<label>Județ <select name="county" data-rodata-field="county"><option></option><option value="B">București</option><option value="CJ">Cluj</option><option value="BN">Bistrița-Năsăud</option></select></label>
	<label>Cod <input name="postcode" data-rodata-field="postalCode"></label> <label>Notă <input name="note" value="a mea"></label>
	<p>Stare: <span data-rodata-field="stateRegistration"></span></p> <button>Comandă</button></form>`;
// example is the code of the guide in a language.
const guide = (await readFile(new URL('../guides/company-search.md', import.meta.url), 'utf8')).replaceAll('http://127.0.0.1:8080', base);
const example = (language, nth = 0) => [...guide.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))][nth][1];
const policy = `default-src 'none'; script-src 'self' ${base}; connect-src ${base}; form-action 'self'; require-trusted-types-for 'script'; trusted-types 'none'`;
const shop = createServer((request, response) => {
	if (request.url === '/marks.js') return response.writeHead(200, {'Content-Type': 'text/javascript'}).end(blockCheckout().script);
	const lang = request.url.includes('ro') ? 'ro-RO' : 'en';
	response.writeHead(200, {'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy});
	if (request.url === '/blocks') return response.end(`<!doctype html><html lang="ro-RO"><title>Blocks</title><h1>Blocks</h1><form>${blocks}</form><script type="module" src="/marks.js"></script><script type="module" src="${base}/widget.js"></script>`);
	if (request.url === '/guide') return response.end(`<!doctype html><html lang="en"><title>Guide</title><h1>Guide</h1>${example('html')}`);
	response.end(`<!doctype html><html lang="${lang}"><title>Shop</title><main><h1>Shop</h1>${form}${form}</main><script type="module" src="${base}/widget.js"></script>`);
});
await new Promise((listening) => shop.listen(0, '127.0.0.1', listening));
after(() => shop.close());
const shopAddress = `http://127.0.0.1:${shop.address().port}`;

const box = (page) => page.getByRole('combobox').first();
const values = (page, nth = 0) => page.locator('form').nth(nth).evaluate((one) => Object.fromEntries(new FormData(one)));
const lines = (page) => page.locator('.rodata-list').getByRole('option');
const said = (page) => page.getByRole('status').filter({hasText: /./}).last();

// type types into the box and waits for the list, for as long as the rate limit requires.
async function type(page, text) {
	await box(page).fill('');
	await box(page).pressSequentially(text, {delay: 20});
	await lines(page).first().waitFor();
}

test('a company is found by keyboard and fills its form under a strict policy', () => withPage({hosts: [shopAddress]}, async (page) => {
	await page.goto(`${shopAddress}/ro`);
	await box(page).and(page.locator('[aria-expanded=false]')).waitFor();
	await type(page, 'exemplu transilvan');
	assert.equal(await box(page).getAttribute('aria-expanded'), 'true');
	assert.equal(await page.locator(`#${await box(page).getAttribute('aria-controls')}`).getAttribute('role'), 'listbox');
	assert.equal(await said(page).textContent(), 'Firme găsite: 1');
	assert.equal(await lines(page).first().evaluate((line) => getComputedStyle(line).paddingTop), '8px');
	await looksRight(page);
	await page.keyboard.press('ArrowDown');
	const active = page.locator(`#${await box(page).getAttribute('aria-activedescendant')}`);
	assert.equal(await active.getAttribute('aria-selected'), 'true');
	await page.keyboard.press('Escape');
	assert.equal(await lines(page).count(), 0);
	await type(page, 'exemplu transilvan');
	await page.keyboard.press('ArrowUp');
	await page.keyboard.press('Enter');
	await page.getByText('Completat: EXEMPLU TRANSILVAN S.R.L.').waitFor({state: 'attached'});
	const filled = await values(page);
	assert.deepEqual(filled, {
		company: 'EXEMPLU TRANSILVAN S.R.L.', name: 'EXEMPLU TRANSILVAN S.R.L.', cui: '9900000010', vat: 'RO9900000010', number: 'J12/101/2012',
		street: filled.street, city: 'Cluj-Napoca', address: filled.address, county: 'CJ', postcode: filled.postcode, note: 'a mea',
	});
	assert.ok(filled.street && filled.address);
	assert.equal(await page.locator('span').first().textContent(), 'in_operation');
	assert.deepEqual(new Set(Object.values(await values(page, 1))), new Set(['', 'a mea']), 'the second form is untouched');
}));

test('another company replaces every value of the first, and the form receives each change event', () => withPage({hosts: [shopAddress]}, async (page) => {
	await page.goto(`${shopAddress}/en`);
	await page.evaluate(() => {
		window.told = [];
		for (const type of ['input', 'change', 'rodata:company']) document.addEventListener(type, ({target, detail}) => window.told.push(`${type} ${target.name} ${detail?.taxId ?? ''}`));
	});
	await type(page, '9900000010');
	await lines(page).click();
	await page.getByText('Filled in: EXEMPLU TRANSILVAN').waitFor({state: 'attached'});
	await type(page, 'exemplu radiat');
	await lines(page).filter({hasText: 'struck off'}).first().click();
	await page.getByText(/Filled in: EXEMPLU RADIAT.*struck off/).waitFor({state: 'attached'});
	const filled = await values(page);
	assert.match(filled.name, /^EXEMPLU RADIAT/);
	assert.equal(filled.vat, '', 'a company that is struck off has no VAT number');
	assert.notEqual(filled.cui, '9900000010');
	const told = await page.evaluate(() => window.told);
	for (const event of ['input cui ', 'change county ', 'rodata:company company 9900000010']) assert.ok(told.includes(event), event);
}));

test('a name that is typed again empties what was filled in for another company', () => withPage({hosts: [shopAddress]}, async (page) => {
	await page.goto(`${shopAddress}/ro`);
	await type(page, 'exemplu transilvan');
	await lines(page).first().click();
	await page.getByText('Completat: EXEMPLU TRANSILVAN').waitFor({state: 'attached'});
	await page.getByLabel('Cod').first().fill('400001'); // the visitor's own
	await box(page).fill('zzzz');
	const {name, cui, vat, number, street, city, address, county, postcode, note} = await values(page);
	assert.deepEqual({name, cui, vat, number, street, city, address, county, postcode, note},
		{name: '', cui: '', vat: '', number: '', street: '', city: '', address: '', county: '', postcode: '400001', note: 'a mea'});
	assert.equal(await page.locator('span').first().textContent(), '');
	await page.getByRole('option', {name: 'Nicio firmă găsită', disabled: true}).waitFor();
	await looksRight(page);
	await shot(page, 'widget-none');
	await page.keyboard.press('Escape');
	assert.equal(await lines(page).count(), 0);
	await box(page).fill('RO 9900000011');
	await page.getByRole('option', {name: 'Cifră de control greșită', disabled: true}).waitFor();
}));

test('Enter does not send the form while the search or the filling runs', () => withPage({hosts: [shopAddress]}, async (page) => {
	const slow = async (route) => {
		await new Promise((resume) => setTimeout(resume, 1000));
		await route.fallback();
	};
	await page.route(`${base}/v1/companies/**`, slow);
	await page.goto(`${shopAddress}/ro`);
	await box(page).pressSequentially('exemplu transilvan', {delay: 20});
	await box(page).press('Enter');
	await page.getByRole('option', {name: 'Se caută…'}).waitFor();
	await lines(page).filter({hasText: 'TRANSILVAN'}).waitFor();
	await box(page).press('ArrowDown');
	await box(page).press('Enter');
	await box(page).press('Enter');
	await page.getByText('Completat: EXEMPLU TRANSILVAN').waitFor({state: 'attached'});
	assert.equal(new URL(page.url()).pathname, '/ro');
	await box(page).press('Enter');
	await page.waitForURL(/\/order\?company=EXEMPLU\+TRANSILVAN.*cui=9900000010/);
}));

test('a search ignores diacritics, and the result keeps them', () => withPage({hosts: [shopAddress]}, async (page) => {
	await page.goto(`${shopAddress}/ro`);
	await type(page, 'exemplu de la tara');
	assert.match(await lines(page).first().textContent(), /EXEMPLU DE LA ȚARĂ/);
	await type(page, 'EXEMPLU DE LA ȚARĂ');
	await lines(page).first().click();
	await page.getByText('Completat: EXEMPLU DE LA ȚARĂ').waitFor({state: 'attached'});
}));

test('the form stays usable when the gateway does not answer', () => withPage({hosts: [shopAddress], expected: [503]}, async (page) => {
	await page.route(`${base}/v1/companies/suggest**`, (route) => route.fulfill({status: 503, headers: {'Access-Control-Allow-Origin': '*'}, json: {}}));
	await page.goto(`${shopAddress}/ro`);
	await box(page).pressSequentially('exemplu', {delay: 20});
	await page.getByRole('option', {name: 'Căutarea nu este disponibilă. Completați manual.'}).waitFor();
	await page.getByLabel('CUI').first().fill('123');
	await box(page).press('Enter'); // which sends the form, as it does without the script
	await page.waitForURL(/\/order\?company=exemplu&.*cui=123/);
}));

test('when the profile fails, the suggestion fills the form', () => withPage({hosts: [shopAddress], expected: [502]}, async (page) => {
	await page.route(`${base}/v1/companies/99*`, (route) => route.fulfill({status: 502, headers: {'Access-Control-Allow-Origin': '*'}, json: {}}));
	await page.goto(`${shopAddress}/en`);
	await type(page, 'exemplu transilvan');
	await lines(page).first().click();
	await page.getByText('Partly filled in: EXEMPLU TRANSILVAN').waitFor({state: 'attached'});
	const {cui, vat, city, county, address} = await values(page);
	assert.deepEqual({cui, vat, city, county, address}, {cui: '9900000010', vat: '', city: 'Cluj-Napoca', county: 'CJ', address: ''});
}));

test('the HTML of the guide works unchanged', () => withPage({hosts: [shopAddress]}, async (page) => {
	await page.goto(`${shopAddress}/guide`);
	await type(page, 'RO9900000010');
	await lines(page).first().click();
	await page.getByText('Filled in: EXEMPLU TRANSILVAN').waitFor({state: 'attached'});
	const {company, cui, vat, number, city, county} = await values(page);
	assert.deepEqual([company, cui, vat, number, city, county], ['EXEMPLU TRANSILVAN S.R.L.', '9900000010', 'RO9900000010', 'J12/101/2012', 'Cluj-Napoca', 'CJ']);
}));

test('the PHP of the guide marks the fields of WooCommerce and keeps their values', () => {
	// Stand-ins for the WordPress and WooCommerce functions that the guide uses.
	const output = execFileSync('php', [], {encoding: 'utf8', input: `<?php
		function add_action($name, $act) { $GLOBALS['hooks'][$name] = $act; }
		function add_filter($name, $act) { $GLOBALS['hooks'][$name] = $act; }
		function is_checkout() { return true; }
		function wp_enqueue_script_module(...$arguments) { $GLOBALS['scripts'][] = $arguments; }
		class Order { public $kept = []; function update_meta_data($name, $value) { $this->kept[$name] = $value; } }
		${example('php')}
		$hooks['wp_enqueue_scripts']();
		$own = array_fill_keys(['billing_first_name', 'billing_company', 'billing_address_1', 'billing_city', 'billing_state', 'billing_postcode'], ['type' => 'text']);
		$order = new Order();
		$hooks['woocommerce_checkout_create_order']($order, ['billing_cui' => '9900000010']);
		echo json_encode(['scripts' => $scripts, 'fields' => $hooks['woocommerce_checkout_fields'](['billing' => $own])['billing'], 'kept' => $order->kept]);`});
	const {scripts, fields, kept} = JSON.parse(output);
	assert.deepEqual(scripts, [['rodata', `${base}/widget.js`, [], null]]);
	const marked = Object.fromEntries(Object.entries(fields).map(([name, {custom_attributes: marks}]) => [name, marks]));
	assert.deepEqual(marked.billing_company, {'data-rodata-field': 'name', 'data-rodata': 'company'});
	assert.deepEqual(marked.billing_state, {'data-rodata-field': 'county'});
	assert.deepEqual(marked.billing_cui, {'data-rodata-field': 'taxId'});
	assert.equal(marked.billing_first_name, undefined);
	assert.deepEqual(kept, {_billing_cui: '9900000010', _billing_reg: ''});
});

// blockCheckout runs the code of the guide for the block checkout with stand-ins for the functions of WordPress and
// WooCommerce. It returns the script that it prints and the fields that it registers.
function blockCheckout() {
	return JSON.parse(execFileSync('php', [], {encoding: 'utf8', input: `<?php
		function add_action($name, $act) { $GLOBALS['hooks'][] = $act; }
		function is_checkout() { return true; }
		function wp_enqueue_script_module(...$arguments) { $GLOBALS['loaded'] = $arguments[1]; }
		function wp_print_inline_script_tag($script, $attributes) { $GLOBALS['script'] = $script; $GLOBALS['type'] = $attributes['type']; }
		function woocommerce_register_additional_checkout_field($field) { $GLOBALS['fields'][] = $field['id']; }
		${example('php', 1)}
		foreach ($hooks as $act) { $act(); }
		echo json_encode(compact('script', 'type', 'fields', 'loaded'));`}));
}

// The block checkout gives its inputs these ids (getFieldProps of WooCommerce, read on 2026-11-26).
const blocks = ['shipping', 'billing'].map((address) => ['company', 'rodata-cui', 'rodata-reg', 'address_1', 'city', 'postcode'].map((name) =>
	`<label>${address} ${name} <input id="${address}-${name}" name="${address}-${name}"></label>`).join('') +
	`<label>${address} county <select id="${address}-state" name="${address}-state"><option></option><option value="CJ">Cluj</option></select></label>`).join('');

test('the code of the guide for the block checkout fills the address in use', () => withPage({hosts: [shopAddress]}, async (page) => {
	const {type: kind, fields, loaded} = blockCheckout();
	assert.deepEqual([kind, fields, loaded], ['module', ['rodata/cui', 'rodata/reg'], `${base}/widget.js`]);
	await page.goto(`${shopAddress}/blocks`);
	for (const address of ['shipping', 'billing']) {
		const company = page.locator(`#${address}-company`);
		await company.click();
		await company.pressSequentially('exemplu transilvan', {delay: 20});
		await lines(page).filter({hasText: 'TRANSILVAN', visible: true}).click();
		await page.waitForFunction((id) => document.getElementById(id).value, `${address}-rodata-cui`);
		const filled = await values(page);
		const of = (name) => filled[`${address}-${name}`];
		assert.deepEqual(['company', 'rodata-cui', 'rodata-reg', 'city', 'state'].map(of), ['EXEMPLU TRANSILVAN S.R.L.', '9900000010', 'J12/101/2012', 'Cluj-Napoca', 'CJ']);
		if (address === 'shipping') assert.equal(filled['billing-rodata-cui'], '');
	}
}));

test('without the script, the form works as a plain form', () => withPage({hosts: [shopAddress], expected: [404]}, async (page) => {
	await page.route(`${base}/widget.js`, (route) => route.fulfill({status: 404, headers: {'Access-Control-Allow-Origin': '*'}, body: ''}));
	await page.goto(`${shopAddress}/en`);
	await page.getByLabel('Firma').first().fill('Exemplu');
	await page.getByRole('button').first().click();
	await page.waitForURL(/\/order\?company=Exemplu/);
}));

test('after a 429 it waits as long as Retry-After says, and asks once', () => withPage({hosts: [shopAddress]}, async (page) => {
	const asked = [];
	await page.route(`${base}/v1/companies/suggest**`, (route) => {
		asked.push({at: Date.now(), url: route.request().url()});
		return route.fulfill(asked.length === 1 ? {status: 429, headers: {'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'Retry-After', 'Retry-After': '2'}, json: {}} :
			{headers: {'Access-Control-Allow-Origin': '*'}, json: {items: [{taxId: 9900000010, name: 'EXEMPLU', county: null, city: null, stateRegistration: 'unknown'}]}});
	});
	await page.goto(`${shopAddress}/en`);
	await box(page).pressSequentially('exem', {delay: 20});
	await page.waitForTimeout(800);
	await box(page).pressSequentially('plu', {delay: 20});
	await page.getByRole('option', {name: 'EXEMPLU CUI 9900000010 · state unknown'}).waitFor();
	assert.equal(asked.length, 2);
	assert.match(asked[1].url, /q=exemplu$/);
	assert.ok(asked[1].at - asked[0].at >= 1900, `asked again after ${asked[1].at - asked[0].at} ms`);
}));

for (const [name, how] of Object.entries({light: {}, 'dark, on a phone': {lang: 'ro', width: 360, dark: true}, 'in Romanian': {lang: 'ro'}})) {
	test(`the page of the widget: ${name}`, () => withPage(how, async (page) => {
		await page.goto(`${base}/docs`);
		await page.locator('a[href="/widget"]').click();
		await type(page, 'exemplu');
		await page.keyboard.press('ArrowDown');
		await looksRight(page);
		await shot(page, `widget-list ${name}`);
		await page.keyboard.press('Enter');
		await page.getByText(/^(Filled in|Completat): /).waitFor({state: 'attached'});
		assert.notEqual(await page.locator('#demo-cui').inputValue(), '');
		await page.getByRole('button', {name: /^(Copy|Copiați)$/}).click();
		assert.match(await page.evaluate(() => navigator.clipboard.readText()), new RegExp(`^<script type="module" src="${base}/widget.js"></script>`));
		await looksRight(page);
		await shot(page, `widget ${name}`);
	}));
}
