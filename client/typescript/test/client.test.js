// What the client promises, against a gateway that misbehaves on demand.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { batchCompanies, Client, CutError, ProblemError, UnreachableError } from '../dist/index.js';

let gateway;
const requests = [];
let answers = [];

before(async () => {
	gateway = createServer(async (request, response) => {
		let body = '';
		for await (const chunk of request) body += chunk;
		requests.push({ method: request.method, url: request.url, headers: request.headers, body });
		const { status = 200, type = 'application/json', headers = {}, text = '{}', destroy, hang } = answers.shift() ?? {};
		response.writeHead(status, { 'content-type': type, ...headers });
		response.write(text);
		if (destroy) setImmediate(() => response.destroy());
		else if (!hang) response.end();
	});
	await new Promise((listening) => gateway.listen(0, '127.0.0.1', listening));
});
after(() => {
	gateway.closeAllConnections();
	gateway.close();
});

function client(options = {}, ...script) {
	requests.length = 0;
	answers = script;
	return new Client({ url: `http://127.0.0.1:${gateway.address().port}/`, key: 'rodata_live_test', ...options });
}

const problem = (status, code) => ({
	status, type: 'application/problem+json', text: JSON.stringify({ type: `https://rodata.example/problems/${code}`, title: code, status, detail: 'why', code }),
});
const later = (status, seconds) => ({ ...problem(status, 'unavailable'), headers: { 'retry-after': String(seconds) } });

test('arguments become a request', async () => {
	await client().getCompany('99/1');
	assert.equal(requests[0].url, '/v1/companies/99%2F1');
	assert.equal(requests[0].headers.authorization, 'Bearer rodata_live_test');
	await client().searchCompanies({ q: 'a & b', vatPayer: true, county: undefined });
	assert.equal(requests[0].url, '/v1/companies?q=a+%26+b&vatPayer=true');
	await client().createWatchlist({ name: 'Furnizori' });
	assert.deepEqual([requests[0].method, requests[0].body], ['POST', '{"name":"Furnizori"}']);
	await client().createJob('cui\n19\n', 'text/csv', { column: 'cui' });
	assert.deepEqual([requests[0].url, requests[0].headers['content-type'], requests[0].body], ['/v1/jobs?column=cui', 'text/csv', 'cui\n19\n']);
});

test('an address has its form', () => assert.throws(() => new Client({ url: 'api.example.ro' }), TypeError));

test('an answer without a body is nothing', async () => {
	assert.equal(await client({}, { text: '' }).deleteWatchlist('wl_a'), undefined);
});

for (const status of [429, 503]) {
	test(`a ${status} is tried again as Retry-After says`, async () => {
		const got = await client({}, later(status, 0), later(status, 0), { text: '{"status":"ok"}' }).getHealth();
		assert.equal(got.status, 'ok');
		assert.equal(requests.length, 3);
	});
}

test('tries are bounded', async () => {
	await assert.rejects(client({ retries: 1 }, later(503, 0), later(503, 0), {}).getHealth(), { status: 503 });
	assert.equal(requests.length, 2);
});

test('a wait that is too long is an error at once', async () => {
	await assert.rejects(client({ maxWait: 5 }, later(429, 6)).getHealth(), { status: 429, retryAfter: 6 });
	assert.equal(requests.length, 1);
});

test('other problems are not tried again', async () => {
	await assert.rejects(client({}, problem(503, 'unavailable')).getHealth(), ProblemError);
	await assert.rejects(client({}, problem(404, 'not-found')).getHealth(), (error) => error.problem.code === 'not-found' && error.retryAfter === undefined);
	assert.equal(requests.length, 1);
});

test('an error page of a proxy is a problem too', async () => {
	await assert.rejects(client({}, { status: 502, type: 'text/html', text: '<h1>Bad Gateway</h1>' }).getHealth(), (error) => error.status === 502 && error.message.includes('Bad Gateway'));
});

test('an answer of another server is a problem', async () => {
	for (const answer of [
		{ type: 'text/html', text: '<h1>Log in</h1>' },
		{ text: '<h1>Log in</h1>' },
		{ status: 400, type: 'application/problem+json', text: '{"title":"<h1>"}' },
		{ status: 400, type: 'application/problem+json', text: 'null <h1>' },
	]) {
		const expected = { name: 'ProblemError', status: answer.status ?? 200, message: /^internal: the answer is not from the gateway: .*<h1>/ };
		await assert.rejects(client({}, answer).getHealth(), expected);
		await assert.rejects(all(batchCompanies(client({}, { ...answer, text: `${answer.text}\n` }), { taxIds: [19] })), expected);
	}
	await assert.rejects(client({}, { type: 'text/html; charset=utf-8', text: '<h1>' }).getJobResult('job_a'), ProblemError);
});

test('Retry-After can be a date', async () => {
	const at = (milliseconds) => later(503, new Date(Date.now() + milliseconds).toUTCString());
	assert.equal((await client({}, at(-5000), { text: '{"status":"ok"}' }).getHealth()).status, 'ok');
	await assert.rejects(client({}, at(100_000)).getHealth(), (error) => error.retryAfter > 90 && error.retryAfter <= 100);
	await assert.rejects(client({}, later(503, '1.5')).getHealth(), { retryAfter: undefined });
});

test('a gateway that cannot be reached is named', async () => {
	await assert.rejects(new Client({ url: 'http://127.0.0.1:1' }).getHealth(), (error) => error instanceof UnreachableError && error.name === 'UnreachableError' &&
		/^no gateway answers at http:\/\/127\.0\.0\.1:1: .+; check the address, and that the gateway is running$/.test(error.message));
});

test('a key does not travel unencrypted', async () => {
	const { port } = gateway.address();
	for (const url of ['http://api.example.ro', 'http://127.0.0.1.example.ro', 'http://localhost.example.ro/v1', 'http://a.localhost', 'http://10.0.0.1', 'http://rodata:8080']) {
		assert.throws(() => new Client({ url, key: 'rodata_live_test' }), { name: 'TypeError', message: /https:.* allowHttp/ });
		new Client({ url, key: 'rodata_live_test', allowHttp: true });
		for (const key of [undefined, '']) new Client({ url, key });
	}
	for (const url of ['https://api.example.ro', 'http://localhost:1', 'http://[::1]:1', `http://127.0.0.1:${port}`]) new Client({ url, key: 'rodata_live_test' });
});

test('an empty key is no key', async () => {
	await client({ key: '' }).getHealth();
	assert.equal(requests[0].headers.authorization, undefined);
});

test('a BigInt is a number', async () => {
	await client({}, lines({ summary: {} })).createWatchlist({ name: 'a', tooLarge: 2n ** 64n, taxIds: [19n] });
	assert.equal(requests[0].body, '{"name":"a","tooLarge":"18446744073709551616","taxIds":[19]}');
});

test('a silent gateway is an error', async () => {
	const silent = { text: '{"status":', hang: true };
	await assert.rejects(client({ timeout: 0.05 }, silent).getHealth(), { name: 'TimeoutError', message: /^http:\/\/127\.0\.0\.1:\d+ has been silent for 0\.05 s; check the address/ });
	await assert.rejects(all(batchCompanies(client({ timeout: 1 }, { ...silent, type: 'application/x-ndjson' }), { taxIds: [19] })), CutError);
});

test('an undefined option takes its default', async () => {
	const undefinedOptions = { retries: undefined, maxWait: undefined, timeout: undefined, fetch: undefined };
	assert.equal((await client(undefinedOptions, { text: '{"status":"ok"}' }).getHealth()).status, 'ok');
	await assert.rejects(client(undefinedOptions, later(429, 31)).getHealth(), { status: 429 });
	await assert.rejects(client(undefinedOptions, ...Array(5).fill(later(429, 0))).getHealth(), { status: 429 });
	assert.equal(requests.length, 4);
});

test('no timeout is too long', async () => {
	for (const timeout of [Infinity, 1e9]) assert.equal((await client({ timeout }, { text: '{"status":"ok"}' }).getHealth()).status, 'ok');
});

test('waiting as asked is no silence', async () => {
	assert.equal((await client({ timeout: 0.5 }, later(503, 1), { text: '{"status":"ok"}' }).getHealth()).status, 'ok');
});

const lines = (...values) => ({ type: 'application/x-ndjson', text: values.map((value) => `${JSON.stringify(value)}\n`).join('') });

test('a batch gives its items and returns its summary', async () => {
	const batch = batchCompanies(client({}, later(503, 0), lines({ index: 1 }, { index: 0 }, { summary: { count: 2 } })), { taxIds: [19, 27] });
	const got = [await batch.next(), await batch.next(), await batch.next()];
	assert.deepEqual(got.map(({ value }) => value), [{ index: 1 }, { index: 0 }, { count: 2 }]);
	assert.match(requests[0].headers['idempotency-key'], /.{16,}/);
	assert.equal(requests[0].headers['idempotency-key'], requests[1].headers['idempotency-key']);
});

async function all(items) {
	const got = [];
	for await (const item of items) got.push(item);
	return got;
}

test('a batch without its summary is an error', async () => {
	await assert.rejects(all(batchCompanies(client({}, lines({ index: 0 })), { taxIds: [19] })), CutError);
	const half = { ...lines({ index: 0 }), text: '{"index":0}\n{"ind' };
	await assert.rejects(all(batchCompanies(client({}, half), { taxIds: [19] })), CutError);
	await assert.rejects(all(batchCompanies(client({}, { ...half, destroy: true }), { taxIds: [19] })), CutError);
});
