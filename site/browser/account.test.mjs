// The account: sign-up, keys, sessions, payments, and their error cases.

import assert from 'node:assert/strict';
import test from 'node:test';

import {answered, base, looksRight, shot, shows, withPage} from './browser.mjs';
import {send, signUp} from './people.mjs';

async function createKey(page, name) {
	await page.getByLabel(/What is it for\?|La ce este folosită/).fill(name);
	await page.getByRole('button', {name: /Create a key|Creați o cheie/}).click();
	await page.locator('#new-key input').waitFor();
	return page.locator('#new-key input').inputValue();
}

const call = (context, path, key) => context.request.get(base + path, {headers: {Authorization: `Bearer ${key}`}});

test('sign up, create a key, call the API, see the usage, revoke the key', () => withPage({expected: [401]}, async (page, context) => {
	const {email} = await signUp(page);
	await page.getByRole('button', {name: 'Send a confirmation link'}).click();
	await shows(page, `We have sent a confirmation link to ${email}.`);
	const key = await createKey(page, 'Accounting <b>');
	assert.match(key, /^rodata_live_[0-9A-Za-z]{38}$/);
	await looksRight(page);
	await shot(page, 'keys');
	assert.equal((await call(context, '/v1/companies/9900000010', key)).status(), 200);

	await page.getByRole('link', {name: 'Usage'}).click();
	await shows(page, 'of 50,000');
	await page.getByRole('cell', {name: 'Get a Romanian company by its tax id'}).waitFor();
	assert.equal(await page.getByRole('meter').getAttribute('aria-valuenow'), '1');
	await looksRight(page);
	await shot(page, 'usage');

	await page.goto(`${base}/docs/api/get_company`);
	await page.getByLabel('Your API key').fill(key);
	const operation = page.locator('#get_company');
	await operation.getByLabel('cui').fill('9900000010');
	await operation.getByLabel('include').fill('balanceSheets');
	await operation.getByRole('button', {name: 'Try it'}).click();
	await operation.getByText('"balanceSheets"').waitFor();
	await operation.getByText(`-H 'Authorization: Bearer ${key}'`).waitFor();
	assert.ok(!(await operation.locator('form.try').textContent()).includes(key), 'the request that was tried shows the key');

	await page.goto(`${base}/dashboard/keys`);
	await page.getByRole('button', {name: 'Revoke: Accounting <b>'}).click();
	await page.getByRole('dialog').getByRole('button', {name: 'Cancel'}).click();
	assert.equal((await call(context, '/v1/fx-rates', key)).status(), 200);
	await page.getByRole('button', {name: 'Revoke: Accounting <b>'}).click();
	await looksRight(page);
	await page.getByRole('dialog').getByRole('button', {name: 'Revoke'}).click();
	await shows(page, 'There are no keys yet.');
	assert.equal((await call(context, '/v1/fx-rates', key)).status(), 401);
}));

test('errors are shown beside their fields, and the input is kept', () => withPage({expected: [401, 422]}, async (page) => {
	const person = await signUp(page);
	await page.getByRole('button', {name: 'Sign out'}).click();
	await shows(page, 'You have signed out.');

	await page.goto(`${base}/dashboard/sign-up`);
	await page.getByLabel('Name').fill('Ana Exemplu');
	await page.getByLabel('E-mail').fill(person.email);
	await page.getByLabel('Password').fill('short');
	await page.getByRole('checkbox').check();
	await page.getByRole('button', {name: 'Create an account'}).click();
	const password = page.getByLabel('Password');
	assert.equal(await password.getAttribute('aria-invalid'), 'true');
	assert.equal(await page.evaluate(() => document.activeElement.name), 'password');
	await password.fill(person.password);
	await send(page, 'Create an account', page.getByText('There is an account for this e-mail already.'));
	assert.equal(await page.getByLabel('E-mail').getAttribute('aria-invalid'), 'true');
	assert.equal(await page.getByLabel('Name').inputValue(), 'Ana Exemplu');
	await looksRight(page);

	await page.getByRole('link', {name: 'Sign in', exact: true}).click();
	await page.getByRole('heading', {name: 'Sign in', exact: true}).waitFor(); // both forms have these fields
	await page.getByLabel('E-mail').fill(person.email);
	await page.getByLabel('Password').fill('another password');
	await send(page, 'Sign in', page.getByText('The e-mail or the password is wrong.'));
	await page.getByLabel('Password').fill(person.password);
	await send(page, 'Sign in', page.getByText('Credits this month'));
}));

test('an expired session asks to sign in and returns to the same view', () => withPage({expected: [401, 429], lang: 'ro', width: 390}, async (page, context) => {
	const person = await signUp(page);
	await createKey(page, 'Salarii');
	await looksRight(page);
	await shot(page, 'keys-phone');
	await context.clearCookies({name: /session/});
	await page.getByLabel('La ce este folosită').fill('Contabilitate');
	await page.getByRole('button', {name: 'Creați o cheie'}).click();
	await shows(page, 'Sesiunea s-a încheiat.');
	assert.equal(await page.getByLabel('La ce este folosită').inputValue(), 'Contabilitate');
	await page.reload();
	await page.getByRole('heading', {name: 'Conectare'}).waitFor();
	await page.getByLabel('E-mail').fill(person.email);
	await page.getByLabel('Parolă').fill(person.password);
	await send(page, 'Conectare', page.locator('#key-list h3'));
	await page.waitForURL(`${base}/dashboard/keys`);
}));

test('a payment that cannot start is reported and changes nothing', () => withPage({expected: [404, 502, 503]}, async (page) => {
	await signUp(page);
	await page.route('**/v1/plans', async (route) => { // for sale, although the sandbox sells nothing
		const answer = await answered(route);
		const plans = await answer.json();
		await route.fulfill({json: plans.map((plan) => ({...plan, purchasable: plan.priceEurMonthly > 0}))});
	});
	await page.getByRole('navigation', {name: 'Dashboard'}).getByRole('link', {name: 'Plans'}).click();
	await page.route('**/v1/billing/checkout', (route) => route.fulfill({
		status: 502, contentType: 'application/problem+json',
		body: JSON.stringify({type: '/problems/upstream-error', title: 'Registry error', status: 502, detail: 'the payment provider answered with an error'}),
	}));
	await page.getByRole('button', {name: 'Choose Starter'}).click();
	await shows(page, 'The payment page did not open, and nothing was charged.');
	await page.unroute('**/v1/billing/checkout');
	await page.getByRole('button', {name: 'Try again'}).click();
	await shows(page, 'Online payment is not set up here');
	await looksRight(page);
	await page.getByRole('navigation', {name: 'Dashboard'}).getByRole('link', {name: 'Invoices'}).click();
	await shows(page, /There are no invoices/);
}));

test('invoices are listed with their amounts and statuses', () => withPage({lang: 'ro'}, async (page) => {
	await signUp(page);
	const invoice = {id: '0198a6f0-0000-7000-8000-000000000001', number: 'RD-0000042', issueDate: '2026-11-03', currency: 'EUR', netTotal: 1900, vatTotal: 399, grossTotal: 2299};
	await page.route('**/v1/invoices', (route) => route.fulfill({json: {invoices: [
		{...invoice, efacturaStatus: 'accepted', pdfReady: true},
		{...invoice, id: '0198a6f0-0000-7000-8000-000000000002', number: 'RD-0000043', efacturaStatus: 'processing', pdfReady: false},
	]}}));
	await page.getByRole('link', {name: 'Facturi'}).click();
	await shows(page, '22,99 EUR');
	await shows(page, 'în prelucrare');
	assert.equal(await page.getByRole('link', {name: 'Descărcați'}).getAttribute('href'), `/v1/invoices/${invoice.id}/pdf`);
	await looksRight(page);
	await page.setViewportSize({width: 390, height: 900});
	await looksRight(page);
	await shot(page, 'invoices-phone');
}));

test('a program is authorized during sign-up, listed, and disconnected', () => withPage({}, async (page, context) => {
	const redirect = `${base}/docs`;
	const made = await context.request.post(`${base}/api/auth/oauth2/register`, {data: {client_name: 'Exemplu <b>', redirect_uris: [redirect]}});
	const {client_id: program} = await made.json();
	await page.goto(`${base}/api/auth/oauth2/authorize?${new URLSearchParams({
		response_type: 'code', client_id: program, redirect_uri: redirect, code_challenge: 'E'.repeat(43), code_challenge_method: 'S256', state: 'a state',
	})}`);
	const at = await page.getByRole('link', {name: 'No account or no password?'}).getAttribute('href');
	await signUp(page, {at, goal: page.getByRole('heading', {name: 'Allow this program?'})});
	await page.getByRole('button', {name: 'Allow', exact: true}).click();
	await shows(page, 'The first request');
	assert.equal(new URL(page.url()).searchParams.get('state'), 'a state');

	await page.goto(`${base}/dashboard/account`);
	await shows(page, 'Exemplu <b>');
	await looksRight(page);
	await shot(page, 'programs');
	await page.getByRole('button', {name: 'Disconnect: Exemplu <b>'}).click();
	await page.getByRole('dialog').getByRole('button', {name: 'Disconnect'}).click();
	await shows(page, 'No programs are connected.');
}));

test('sign-in redirects only to addresses of this service', () => withPage({}, async (page) => {
	await signUp(page, {at: '/dashboard/sign-up?return=/docs/errors%23what', goal: page.getByText('What to do').first()});
	await page.waitForURL(`${base}/docs/errors`);
	for (const [given, wanted] of [
		['/dashboard/keys', '/dashboard/keys'], ['/docs?lang=en', '/docs'], ['/dashboard/sign-in', '/dashboard'], ['/dashboard/nothing', '/dashboard'],
		['//other.example/docs', '/dashboard'], ['/\\other.example', '/dashboard'], ['/\t/other.example', '/dashboard'], ['/.//other.example', '/dashboard'],
		['https://other.example/', '/dashboard'], ['javascript:alert(1)', '/dashboard'], ['docs', '/dashboard'],
	]) {
		await page.goto(`${base}/dashboard/sign-in?${new URLSearchParams({return: given})}`);
		await page.waitForURL(base + wanted);
		await page.getByRole('heading').first().waitFor({state: 'attached'});
	}
}));

test('an account can be changed and deleted', () => withPage({expected: [400, 401]}, async (page) => {
	const person = await signUp(page);
	await page.getByRole('link', {name: 'Account', exact: true}).click();
	await page.getByLabel('Name').fill('Ana Nouă');
	await page.getByRole('button', {name: 'Save'}).first().click();
	await shows(page, 'Saved.');
	await shows(page, 'this session');
	await looksRight(page);
	await shot(page, 'account');
	await page.getByText('Details').click();
	await page.getByLabel('Password').last().fill('another password');
	await page.getByRole('button', {name: 'Delete the account'}).click();
	await page.getByRole('dialog').getByRole('button', {name: 'Delete the account'}).click();
	await shows(page, 'The password is wrong.');
	await page.getByRole('dialog').getByRole('button', {name: 'Cancel'}).click();
	await page.getByLabel('Password').last().fill(person.password);
	await page.getByRole('button', {name: 'Delete the account'}).click();
	await page.getByRole('dialog').getByRole('button', {name: 'Delete the account'}).click();
	await shows(page, 'The account has been deleted.');
}));
