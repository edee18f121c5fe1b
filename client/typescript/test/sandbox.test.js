// The client against a sandbox, which .ci/clients starts: RODATA_URL and RODATA_KEY.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { batchCompanies, Client, ProblemError } from '../dist/index.js';
import { verifyWebhook, WebhookError } from '../dist/webhook.js';

const { RODATA_URL: url, RODATA_KEY: key } = process.env;
const options = { skip: url === undefined ? 'RODATA_URL is not set' : false };

test('a company', options, async () => {
	const company = await new Client({ url, key }).getCompany(9900000010);
	assert.equal(company.taxId, 9900000010);
	assert.equal(company.vatPayer, true);
});

test('a problem', options, async () => {
	await assert.rejects(new Client({ url, key }).getCompany('9900000011'), (error) => {
		assert.ok(error instanceof ProblemError);
		assert.equal(error.problem.errors[0].code, 'check_digit');
		return error.status === 400;
	});
});

test('a batch', options, async () => {
	const batch = batchCompanies(new Client({ url, key }), { items: [{ taxId: 'RO9900000010', reference: 'S-1' }, { taxId: 'x' }] }, 'input');
	const items = [(await batch.next()).value, (await batch.next()).value];
	assert.deepEqual(items.map((item) => item.status), [200, 400]);
	assert.equal(items[0].reference, 'S-1');
	assert.equal((await batch.next()).value.found, 1);
});

test('a webhook', options, async () => {
	const client = new Client({ url, key });
	const got = [];
	const receiver = createServer(async (request, response) => {
		const chunks = [];
		for await (const chunk of request) chunks.push(chunk);
		got.push({ headers: request.headers, body: Buffer.concat(chunks) });
		response.writeHead(204).end();
	});
	await new Promise((listening) => receiver.listen(0, '127.0.0.1', listening));
	try {
		const webhook = await client.createWebhook({ url: `http://127.0.0.1:${receiver.address().port}/` });
		const { event } = await client.testWebhook(webhook.id);
		await client.deleteWebhook(webhook.id);
		assert.equal(verifyWebhook(got[0].body, got[0].headers, webhook.secret).id, event);
		assert.throws(() => verifyWebhook(`${got[0].body} `, got[0].headers, webhook.secret), WebhookError);
	} finally {
		receiver.close();
	}
});
