// Monitoring, from the first watch-list to an event and a failed delivery.

import assert from 'node:assert/strict';
import test from 'node:test';

import {base, looksRight, shot, shows, withPage} from './browser.mjs';
import {send, signUp} from './people.mjs';

const changing = '9900009087'; // the sandbox's company that changes at each look

test('a list of three companies, an event, and a webhook that fails', () => withPage({expected: [400, 401]}, async (page) => {
	await signUp(page);
	await page.getByRole('link', {name: 'Monitoring'}).click();
	await shows(page, 'There is no watch-list yet.');
	await page.getByLabel('A new watch-list').fill('Suppliers <b>');
	await send(page, 'Create the watch-list', page.getByRole('heading', {name: 'Suppliers <b>'}));
	await page.locator('#watched').getByRole('heading', {name: '0 companies'}).waitFor();
	assert.doesNotMatch(await page.locator('#watched').textContent(), /null|undefined/);

	await page.getByLabel('Tax ids, one per line').fill(`${changing}; SUP-001\n9900000010\tSUP-002\nRO9900000134\nnot a number`);
	await send(page, 'Add to the watch-list', page.getByText('Added: 3. New reference: 0. Already there: 0. Not accepted: 1.'));
	await page.locator('#refused').getByText('not a number', {exact: true}).waitFor();
	await page.locator('#refused').getByText('The value is not a CUI of 2 to 10 digits').waitFor();
	await page.locator('#watched').getByRole('heading', {name: '3 companies'}).waitFor();
	assert.equal(await page.locator('#watched tbody tr').count(), 3);
	await looksRight(page);

	await page.locator('input[type=file]').setInputFiles({name: 'suppliers.csv', mimeType: 'text/csv', buffer: Buffer.from('cui;reference\n9900000029;SUP-004\n')});
	await shows(page, 'Added: 1.');
	await page.locator('#watched').getByRole('heading', {name: '4 companies'}).waitFor();
	assert.equal(await page.locator('#watched tbody tr').count(), 4);

	// Problems come first, and no company is called well.
	await page.locator('#watched').getByText('Struck off').waitFor();
	assert.ok(await page.locator('#watched tbody tr').first().locator('.badge.bad').count());
	assert.equal(await page.locator('#watched .badge.good').count(), 0);
	await page.getByRole('button', {name: /^With problems \(\d\)$/}).click();
	await page.getByRole('button', {name: /^With problems/, pressed: true}).waitFor();
	const problems = await page.locator('#watched tbody tr').count();
	assert.ok(problems > 0 && problems < 4, `${problems} rows with problems`);
	for (const row of await page.locator('#watched tbody tr').all()) assert.ok(await row.locator('.badge.bad').count());
	await looksRight(page);

	// A check whose time has passed is due; it is not announced for the past.
	await page.route('**/companies?*', async (route) => {
		const response = await route.fetch(), json = await response.json();
		json.items[0].nextCheckAt = '2026-01-02T03:04:05Z';
		await route.fulfill({response, json});
	});
	await page.getByRole('button', {name: 'All (4)'}).click();
	await page.locator('#watched tbody tr').nth(3).waitFor();
	assert.match(await page.locator('#watched tbody tr').first().textContent(), /due now/);
	await page.unroute('**/companies?*');

	await page.getByText('Settings: name').click();
	await page.getByLabel('Digest by mail').selectOption('daily');
	await send(page, 'Save', page.locator('#said', {hasText: 'Saved.'}));

	const hook = page.getByLabel('Address (https)');
	await hook.fill('https://me:secret@receiver.invalid/hook'); // the sandbox takes private addresses
	await send(page, 'Create the webhook', page.locator('#webhooks').getByText('without user and password'));
	await hook.fill('https://receiver.invalid/hook');
	await send(page, 'Create the webhook', page.locator('#webhook-secret'));
	assert.match(await page.locator('#webhook-secret input').inputValue(), /^whsec_/);

	// The service checks about every ten seconds; the second check is compared with the first.
	const event = page.locator('#events li', {hasText: 'SUP-001'}).first();
	for (let tries = 0; tries < 30 && !await event.isVisible(); tries++) {
		await page.waitForTimeout(2000);
		await page.getByRole('button', {name: 'Refresh'}).click();
		await page.locator('#events li').or(page.getByText('Nothing has changed yet.')).first().waitFor();
	}
	assert.match(await event.textContent(), /EXEMPLU SCHIMB.*(Registered for VAT: no → yes|VAT registration cancelled: yes → no)/);

	await send(page, 'Test', page.getByText('The test failed.'));
	const deliveries = page.getByRole('button', {name: 'Deliveries'});
	const failure = page.locator('.deliveries .error').first();
	for (let tries = 0; tries < 15 && !await failure.isVisible(); tries++) {
		await page.waitForTimeout(1000);
		await deliveries.click();
		await page.locator('.deliveries h4').waitFor();
	}
	assert.match(await failure.textContent(), /receiver\.invalid|resolve|address/);
	await looksRight(page);
	await shot(page, 'monitoring');
}));

for (const [name, how] of Object.entries({'in dark mode': {dark: true}, 'on a phone, in Romanian': {lang: 'ro', width: 360}, 'on a phone in dark mode': {width: 360, dark: true}})) {
	test(`monitoring ${name}`, () => withPage({...how, expected: [401]}, async (page) => {
		await signUp(page);
		const address = await page.evaluate(async (tax) => {
			const send = async (path, method, body) => (await fetch(path, {method, headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)})).json();
			const {id} = await send('/v1/watchlists', 'POST', {name: 'Furnizori'});
			await send(`/v1/watchlists/${id}/companies`, 'POST', {items: [{taxId: tax, reference: 'SUP-001'}, {taxId: '9900000010'}, {taxId: '9900000029'}, {taxId: '9900000088'}]});
			await send('/v1/webhooks', 'POST', {url: 'https://receiver.invalid/a/long/path/that/does/not/fit/on/a/phone'});
			return `/dashboard/monitoring?list=${id}`;
		}, changing);
		await page.goto(base + address);
		await page.locator('#webhook-list li').waitFor();
		for (const details of await page.locator('#watchlist summary').all()) await details.click();
		await looksRight(page);
		await shot(page, `monitoring ${name}`);
	}));
}
