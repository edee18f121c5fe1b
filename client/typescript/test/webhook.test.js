// The example of the Standard Webhooks specification, and what must not be believed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyWebhook, WebhookError } from '../dist/webhook.js';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const sentAt = 1614265330;
const body = '{"test": 2432232314}';
const good = { 'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek', 'Webhook-Timestamp': String(sentAt), 'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=' };

test('a signed message is believed', () => {
	assert.equal(verifyWebhook(body, good, secret, sentAt).test, 2432232314);
	assert.equal(verifyWebhook(new TextEncoder().encode(body), new Headers(good), secret, sentAt + 300).test, 2432232314);
	assert.ok(verifyWebhook(body, { ...good, 'webhook-signature': `v1,AAAA ${good['webhook-signature']}` }, secret, sentAt));
});

for (const [name, message, headers, now] of [
	['another body', `${body} `, good, sentAt],
	['another id', body, { ...good, 'webhook-id': 'msg_other' }, sentAt],
	['another time', body, { ...good, 'Webhook-Timestamp': String(sentAt + 1) }, sentAt],
	['no signature', body, { ...good, 'webhook-signature': '' }, sentAt],
	['a signature of another kind', body, { ...good, 'webhook-signature': good['webhook-signature'].replace('v1', 'v2') }, sentAt],
	['no headers', body, {}, sentAt],
	['an old message', body, good, sentAt + 301],
	['a message of the future', body, good, sentAt - 301],
]) {
	test(`${name} is refused`, () => assert.throws(() => verifyWebhook(message, headers, secret, now), WebhookError));
}

test('a secret has its form', () => assert.throws(() => verifyWebhook(body, good, 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', sentAt), TypeError));
