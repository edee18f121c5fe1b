// The view that hosts of MCP Apps embed for a result of get_company, in a host that only passes messages on.

import assert from 'node:assert/strict';
import test from 'node:test';

import {base, looksRight, withPage} from './browser.mjs';

const host = 'https://host.example';

// ask sends a message to the endpoint, and waits for the rate limit, which all walks share.
async function ask(method, params) {
	for (;;) {
		const response = await fetch(`${base}/mcp`, {method: 'POST', body: JSON.stringify({jsonrpc: '2.0', id: 1, method, params}),
			headers: {'Content-Type': 'application/json', Accept: 'application/json, text/event-stream'}});
		const {result} = await response.json();
		if (response.status !== 429 && !/rate-limited/.test(result?.content?.[0]?.text)) return result;
		await new Promise((resolve) => setTimeout(resolve, 1100));
	}
}

const company = (cui) => ask('tools/call', {name: 'get_company', arguments: {cui}});

// embed opens a page that embeds the view and records what it says. The page answers only the handshake.
async function embed(page, context) {
	const {contents: [{text, mimeType}]} = await ask('resources/read', {uri: 'ui://rodata/company-card'});
	assert.equal(mimeType, 'text/html;profile=mcp-app');
	assert.ok(Buffer.byteLength(text) <= 20 << 10, 'the view is too large');
	await page.route(`${host}/`, (route) => route.fulfill({contentType: 'text/html', body: '<!doctype html><html lang=en><title>host</title><main>'}));
	await page.goto(`${host}/`);
	await page.evaluate(([source, initial]) => {
		window.said = [];
		const frame = document.createElement('iframe');
		frame.title = 'view';
		frame.style = 'width: 100%; height: 480px; border: 0';
		frame.sandbox = 'allow-scripts';
		window.tell = (message) => frame.contentWindow.postMessage({jsonrpc: '2.0', ...message}, '*');
		addEventListener('message', ({data}) => {
			window.said.push(data);
			if (data.method === 'ui/initialize') window.tell({id: data.id, result: initial});
		});
		frame.srcdoc = source;
		document.querySelector('main').append(frame);
	}, [text, context]);
	const said = (method) => page.waitForFunction((name) => window.said.find(({method}) => method === name), method).then((found) => found.jsonValue());
	await said('ui/notifications/initialized');
	const tell = (method, params, id) => page.evaluate((message) => window.tell(message), {method, params, id});
	return {view: page.frames()[1], said, tell};
}

for (const [lang, words] of [['en', {state: 'in operation', unknown: 'unknown: no register answered', again: 'Check again', page: 'Open the page'}],
	['ro', {state: 'în funcțiune', unknown: 'necunoscut: niciun registru nu a răspuns', again: 'Verifică din nou', page: 'Deschide pagina'}]]) {
	test(`a host shows a company (${lang})`, () => withPage({hosts: [host]}, async (page) => {
		const context = {locale: lang === 'ro' ? 'ro-RO' : 'en-GB', theme: 'light'};
		const {view, said, tell} = await embed(page, {hostCapabilities: {serverTools: {}}, hostContext: context});
		const {appInfo, protocolVersion} = (await said('ui/initialize')).params;
		assert.deepEqual([appInfo.name, protocolVersion], ['rodata', '2026-01-26']);

		await tell('ui/notifications/tool-input', {arguments: {cui: '9900000010'}});
		const result = await company('9900000010');
		await tell('ui/notifications/tool-result', result);
		await view.getByRole('heading', {name: 'EXEMPLU TRANSILVAN S.R.L.'}).waitFor();
		await view.getByText(words.state, {exact: true}).waitFor();
		await view.getByText(/^anaf: /).waitFor();
		await looksRight(view);
		await tell('ui/notifications/host-context-changed', {theme: 'dark'});
		await view.locator('html[data-theme=dark]').waitFor();
		await looksRight(view, 'in the dark');

		const {vatPayer, ...rest} = result.structuredContent;
		await tell('ui/notifications/tool-result', {structuredContent: {...rest, vatPayer: null, sources: [{name: 'anaf', retrievedAt: null}]}});
		await view.getByText(words.unknown, {exact: true}).first().waitFor();
		assert.equal(vatPayer, true);

		await view.getByRole('button', {name: words.page}).click();
		assert.equal((await said('ui/open-link')).params.url, `${base}/companies/9900000010`);
		await view.getByRole('button', {name: words.again}).click();
		assert.deepEqual((await said('tools/call')).params, {name: 'get_company', arguments: {cui: '9900000010'}});
		await said('ui/notifications/size-changed');
		await tell('ui/resource-teardown', {}, 9);
		await page.waitForFunction(() => window.said.some(({id, result}) => id === 9 && result));
	}));
}

test('a host shows why there is no company', () => withPage({hosts: [host]}, async (page) => {
	const {view, tell} = await embed(page, {hostCapabilities: {}, hostContext: {}});
	const failed = await company('9900009990');
	assert.ok(failed.isError);
	await tell('ui/notifications/tool-result', failed);
	await view.getByText(JSON.parse(failed.content[0].text).detail).waitFor();
	await looksRight(view);
	await tell('ui/notifications/tool-cancelled', {});
	await view.getByText('The look-up was cancelled.').waitFor();
}));
