// Connects the official TypeScript clients, on which most hosts are built, to a
// running server, and calls every tool: with arguments that give the largest
// answers, and with wrong ones. The first client is of the revisions with
// sessions, the second speaks 2026-07-28. Both check each structured answer
// against the tool's output schema and throw when it does not fit.
//
//   node clients.mjs NODE_MODULES URL
import assert from 'node:assert/strict';

const [modules, url] = process.argv.slice(2);
const load = (path) => import(`${modules}/@modelcontextprotocol/${path}`);

const longest = 100_000; // characters of an answer that hosts are sure to show to a model
const largest = {
	convert_currency: [{ amount: '123456789.123', from: 'EUR', to: 'USD', date: '2026-06-10', basis: 'invoice' }],
	get_caen_code: [{ code: 'C' }, { code: 47 }],
	get_company: [{ cui: '9900000010', include: 'balanceSheets', years: 'all' }, { cui: 9900000010 }],
	get_fx_rate_history: [{ currency: 'EUR', from: '2025-08-01', to: '2026-08-01' }],
	get_fx_rates: [{}, { date: '2026-06-14' }],
	search_caen_codes: [{ limit: 100 }, { limit: '100', type: 'class', offset: '500' }],
	search_cities: [{ limit: 100 }],
	search_companies: [{ limit: 100 }],
	search_counties: [{ limit: 100 }],
	suggest_companies: [{ q: 'exem' }],
};
const refused = {
	get_caen_code: [{ code: '6201' }],
	get_company: [{ cui: 'RO1' }, { cui: '9900009990' }, { cui: '9900009010' }],
	get_usage: [{}], // without a key
};

// patiently does what may be refused for coming too soon, until it is not.
async function patiently(ask) {
	for (;;) {
		let wait;
		try {
			const result = await ask();
			if (result._meta['ro.rodata/status'] !== 429) return result;
			wait = result._meta['ro.rodata/retryAfterSeconds'];
		} catch (error) {
			wait = error.data?.retryAfterSeconds;
			if (!wait) throw error;
		}
		await new Promise((done) => setTimeout(done, 1000 * wait));
	}
}

async function callAll(client) {
	const { tools } = await client.listTools();
	for (const { name } of tools) {
		const call = (args) => patiently(() => client.callTool({ name, arguments: args }));
		for (const args of largest[name] ?? []) {
			const result = await call(args);
			const text = result.content[0].text;
			assert.ok(!result.isError, `${name} ${JSON.stringify(args)}: ${text}`);
			assert.deepEqual(JSON.parse(text), result.structuredContent, name);
			assert.ok(text.length <= longest, `${name} ${JSON.stringify(args)} gives ${text.length} characters`);
			console.log(`${name} ${JSON.stringify(args)}: ${text.length} characters`);
		}
		for (const args of refused[name] ?? [{ nonsense: '1' }]) {
			const result = await call(args);
			assert.ok(result.isError && JSON.parse(result.content[0].text).detail, `${name} ${JSON.stringify(args)}`);
		}
		assert.ok(largest[name] ?? refused[name], `${name} is called with nothing`);
	}
}

async function use(client, transport) {
	await client.connect(transport);
	await callAll(client);
	const { contents } = await patiently(() => client.readResource({ uri: 'caen://6210' }));
	assert.equal(JSON.parse(contents[0].text).code, '6210');
	const { messages } = await client.getPrompt({ name: 'find_caen_code', arguments: { activity: 'taxi' } });
	assert.match(messages[0].content.text, /taxi/);
	await client.close();
}

const who = { name: 'ci', version: '1' };
const older = { ...(await load('sdk/dist/esm/client/index.js')), ...(await load('sdk/dist/esm/client/streamableHttp.js')) };
await use(new older.Client(who), new older.StreamableHTTPClientTransport(new URL(url)));

const newer = await load('client/dist/index.mjs');
const client = new newer.Client(who, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
await use(client, new newer.StreamableHTTPClientTransport(new URL(url)));
