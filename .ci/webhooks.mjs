// Makes a sandbox send an event to a receiver that verifies it with the published npm package standardwebhooks:
//
//   node webhooks.mjs NODE_MODULES SANDBOX KEY
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

const [modules, sandbox, key] = process.argv.slice(2);
const { Webhook } = createRequire(`${modules}/`)('standardwebhooks');

async function call(method, path, body) {
	const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
	const response = await fetch(sandbox + path, { method, headers, body: body && JSON.stringify(body) });
	const text = await response.text();
	assert.ok(response.ok, `${method} ${path}: ${text}`);
	return text && JSON.parse(text);
}

const got = [];
const receiver = createServer(async (request, response) => {
	const chunks = [];
	for await (const chunk of request) chunks.push(chunk);
	got.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
	response.writeHead(204).end();
});
await new Promise((listening) => receiver.listen(0, '127.0.0.1', listening));

const hook = await call('POST', '/v1/webhooks', { url: `http://127.0.0.1:${receiver.address().port}/` });
const first = await call('POST', `/v1/webhooks/${hook.id}/test`);
const { secret } = await call('POST', `/v1/webhooks/${hook.id}/rotate`);
await call('POST', `/v1/webhooks/${hook.id}/test`);
await call('DELETE', `/v1/webhooks/${hook.id}`);
receiver.close();

assert.equal(got.length, 2);
const before = new Webhook(hook.secret), after = new Webhook(secret);
assert.equal(before.verify(got[0].body, got[0].headers).id, first.event);
assert.equal(got[0].headers['webhook-id'], first.event);
assert.throws(() => after.verify(got[0].body, got[0].headers));
for (const either of [before, after]) assert.equal(either.verify(got[1].body, got[1].headers).type, 'webhook.test');
assert.throws(() => after.verify(`${got[1].body} `, got[1].headers));
console.log('what webhooks send is verified by standardwebhooks');
