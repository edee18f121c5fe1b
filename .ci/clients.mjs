// Connects common MCP clients and calls every tool with each: the official TypeScript clients, on which most hosts are
// built, in the revisions with sessions and in 2026-07-28; mcp-remote, for hosts that only start programs; and the
// Inspector, which checks the tools' schemas strictly.
//
//   node clients.mjs NODE_MODULES SANDBOX FIXTURES KEY
//
// SANDBOX is the endpoint of a binary's sandbox, and KEY a key for it. FIXTURES is the endpoint of
// mcp/fixture_test.go, whose companies and keys fail in every possible way. The clients check each structured answer
// against the tool's output schema. They throw if it does not match, or if an error has structured content.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const [modules, sandbox, fixtures, key] = process.argv.slice(2);
const load = (path) => import(`${modules}/@modelcontextprotocol/${path}`);

const longest = 100_000; // characters of an answer that hosts are sure to show to a model

// right has valid arguments for each tool, mostly for its largest answer.
const right = {
	add_business_days: [{ from: '2026-12-31', days: -1000 }, { days: '0' }],
	check_vat_number: [{ id: 'DE811569869' }, { id: 'RO9900000010', requester: 'RO9900000010' }],
	check_vat_numbers: [{ vatNumbers: Array(100).fill('FR46688637511') }, { vatNumbers: ['x', 'ATU89089584'], requester: 'none', waitSeconds: 5 }],
	compare_company: [{ cui: '9900000010' }, { cui: 9900000010, year: 2024, level: 'division' }],
	convert_currency: [{ amount: '123456789.123', from: 'EUR', to: 'USD', date: '2026-06-10', basis: 'invoice' }],
	get_caen_code: [{ code: 'C' }, { code: 47 }],
	get_companies: [
		{ taxIds: Array(25).fill(9900000010), view: 'full' }, { taxIds: Array(100).fill('9900000010'), view: 'summary' },
		{ items: [{ taxId: 'RO9900000010', reference: 'a', date: '2025-03-31' }, { taxId: 'x' }], fields: ['name', 'vatPeriods.from'] },
	],
	get_company: [{ cui: '9900000010', include: 'balanceSheets,legalRepresentatives', years: 'all' }, { cui: 9900000010, date: '2025-03-31' }],
	get_company_history: [{ cui: '9900000010' }, { cui: 9900000010, limit: 1 }],
	get_company_status: [{ cui: '9900000010' }, { cui: '9900000010', date: '2025-03-31', knownAt: '2025-04-02' }],
	get_fx_rate_history: [{ currency: 'EUR', from: '2025-08-01', to: '2026-08-01' }],
	get_fx_rates: [{}, { date: '2026-06-14' }],
	get_holidays: [{}, { year: 2005 }],
	get_statement_state: [{ cui: '9900000010' }, { cui: 9900000010, year: 2024 }],
	get_usage: [{}],
	list_changes: [{}, { limit: 100, taxId: 9900000010, type: 'company.vat.cancelled' }],
	search_caen_codes: [{ limit: 100 }, { limit: '100', type: 'class', offset: '500' }],
	search_cities: [{ limit: 100 }],
	search_companies: [{ limit: 100 }],
	search_counties: [{ limit: 100 }],
	suggest_companies: [{ q: 'exem' }],
	unwatch_company: [{ cui: '9900000010' }],
	verify_supplier: [{ cui: '9900000010', name: 'Exemplu SRL', amount: '2500', payment: 'bank' }, { cui: 9900000010, date: '2025-03-31', vatCharged: 'true' }],
	watch_company: [{ cui: 9900000010, reference: 'SUP-001' }, { id: 'default', cui: '9900000010' }],
};

// wrong lists calls of the fixtures that fail, by their status over REST, with the plan of the key and the number
// of calls until the failure.
const wrong = [
	[400, 'get_company', { cui: 'RO1' }],
	[401, 'get_usage', {}],
	[402, 'get_company', { cui: '9900000010' }, 'spent', 2], // there is one credit
	[403, 'get_company', { cui: '9900000010' }, 'bare'],
	[403, 'get_company', { cui: '9900000010', include: 'legalRepresentatives' }],
	[404, 'get_company', { cui: '9900000088' }],
	[404, 'get_caen_code', { code: '6201' }], // with successors
	[429, 'get_fx_rates', {}, 'free', 30], // 10 at once, 2 a second
	[500, 'get_company', { cui: '9900000053' }],
	[500, 'get_company', { cui: '9900000061' }],
	[502, 'get_company', { cui: '9900000029' }],
	[503, 'get_company', { cui: '9900000045' }],
	[504, 'get_company', { cui: '9900000037' }],
];

const who = { name: 'ci', version: '1' };
const older = {
	...(await load('sdk/dist/esm/client/index.js')),
	...(await load('sdk/dist/esm/client/streamableHttp.js')),
	...(await load('sdk/dist/esm/client/stdio.js')),
};
const newer = await load('client/dist/index.mjs');

const overHTTP = (kind) => (url, headers) => new kind.StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
const throughRemote = (url, headers) =>
	new older.StdioClientTransport({
		command: process.execPath,
		args: [`${modules}/mcp-remote/dist/proxy.js`, url, ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}:${value}`])],
		env: process.env,
		stderr: 'ignore',
	});
const newest = (mode) => new newer.Client(who, { versionNegotiation: { mode } });
const programs = {
	'client 1.x': { client: () => new older.Client(who), transport: overHTTP(older) },
	'client 2.x in 2025-11-25': { client: () => newest('legacy'), transport: overHTTP(newer), revision: '2025-11-25' },
	'client 2.x in 2026-07-28': { client: () => newest({ pin: '2026-07-28' }), transport: overHTTP(newer), revision: '2026-07-28' },
	'mcp-remote': { client: () => new older.Client(who), transport: throughRemote },
};

// use connects a client while a function runs.
async function use(program, url, headers, act) {
	const client = program.client();
	await client.connect(program.transport(url, headers));
	try {
		if (program.revision) assert.equal(client.getNegotiatedProtocolVersion(), program.revision);
		await act(client);
	} finally {
		await client.close();
	}
}

// patiently repeats a call until it is no longer rate-limited.
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

// callAll calls every tool, and reads a resource and a prompt.
async function callAll(client) {
	const { tools } = await client.listTools();
	assert.deepEqual(tools.map((tool) => tool.name), Object.keys(right));
	for (const { name } of tools) {
		const call = (args) => patiently(() => client.callTool({ name, arguments: args }));
		for (const args of right[name]) {
			const result = await call(args);
			const text = result.content[0].text;
			assert.ok(!result.isError, `${name} ${JSON.stringify(args)}: ${text}`);
			assert.deepEqual(JSON.parse(text), result.structuredContent, name);
			assert.ok(text.length <= longest, `${name} ${JSON.stringify(args)} gives ${text.length} characters`);
		}
		const result = await call({ nonsense: '1' });
		assert.ok(result.isError && JSON.parse(result.content[0].text).detail, `${name} with an argument that it does not have`);
	}
	const { contents } = await patiently(() => client.readResource({ uri: 'caen://6210' }));
	assert.equal(JSON.parse(contents[0].text).code, '6210');
	const { messages } = await client.getPrompt({ name: 'find_caen_code', arguments: { activity: 'taxi' } });
	assert.match(messages[0].content.text, /taxi/);
}

// failAll makes tools fail in every possible way, and returns the number of failures.
async function failAll(program) {
	for (const plan of new Set(wrong.map(([, , , plan]) => plan))) {
		await use(program, fixtures, plan ? { Authorization: `Bearer rodata_live_${plan}` } : {}, async (client) => {
			for (const [status, name, args, , times = 1] of wrong.filter(([, , , p]) => p === plan)) {
				// At once: one after the other, a slow machine would earn new tokens meanwhile.
				const results = await Promise.all(Array.from({ length: times }, () => client.callTool({ name, arguments: args })));
				const result = results.find((each) => each.isError) ?? results[0];
				const problem = JSON.parse(result.content[0].text);
				assert.ok(result.isError && result.structuredContent === undefined, `${name} ${JSON.stringify(args)}`);
				assert.deepEqual([problem.status, result._meta['ro.rodata/status']], [status, status], problem.detail);
			}
		});
	}
	return new Set(wrong.map(([status]) => status)).size;
}

for (const [name, program] of Object.entries(programs)) {
	await use(program, sandbox, { Authorization: `Bearer ${key}` }, callAll);
	console.log(`${name}: every tool, and ${await failAll(program)} ways to fail`);
}

// The Inspector exits with 0 on success.
const inspector = `${modules}/@modelcontextprotocol/inspector/clients/launcher/build/index.js`;
const inspect = (era, ...args) =>
	promisify(execFile)(process.execPath, [
		inspector, '--cli', '--server-url', sandbox, '--header', `Authorization: Bearer ${key}`, '--stored-auth-only',
		'--protocol-era', era, '--format', 'json', ...args,
	]);
for (const era of ['legacy', 'modern']) {
	const { stderr } = await inspect(era, '--method', 'tools/list', '--strict');
	for (const [name, [args]] of Object.entries(right)) {
		const { stdout } = await inspect(era, '--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args));
		assert.ok(JSON.parse(stdout).result.structuredContent, `${name}: ${stdout}`);
	}
	console.log(`Inspector, ${era}: every tool; ${stderr.trim().split('\n').at(-1)}`);
}
