// Verification of webhook messages: https://www.standardwebhooks.com. It needs node:crypto, which Node, Bun and Deno have
// and browsers lack, so index.ts does not export it.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Event } from './api.js';

/** A message that failed verification and must be ignored. */
export class WebhookError extends Error {
	override readonly name = 'WebhookError';
}

/** The tolerated clock skew of a message, in seconds. */
const tolerance = 300;

/**
 * Verifies a message and returns its event. The body must be the raw bytes, before any parsing. An event can be
 * delivered more than once, with the same id.
 *
 * @param headers of the request, case-insensitive
 * @param secret of the webhook: whsec_ and base64
 * @param now in seconds, for tests
 */
export function verifyWebhook(
	body: string | Uint8Array, headers: Headers | Record<string, string | string[] | undefined>, secret: string, now = Date.now() / 1000,
): Event {
	const id = header(headers, 'webhook-id');
	const timestamp = header(headers, 'webhook-timestamp');
	const expected = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest();

	let signed = false;
	for (const one of header(headers, 'webhook-signature').split(' ')) { // two while a secret is replaced
		if (!one.startsWith('v1,')) continue;
		const given = Buffer.from(one.slice(3), 'base64');
		if (given.length === expected.length && timingSafeEqual(given, expected)) signed = true;
	}
	if (!signed || id === '') throw new WebhookError('the message is not signed with the secret of this webhook');
	if (!/^\d+$/.test(timestamp) || Math.abs(now - Number(timestamp)) > tolerance) {
		throw new WebhookError('the message was sent more than 5 minutes ago, or the clocks differ');
	}
	return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as Event;
}

function keyOf(secret: string): Buffer {
	const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.alloc(0);
	if (key.length === 0) throw new TypeError('the secret of a webhook is whsec_ and base64; this one is not');
	return key;
}

function header(headers: Headers | Record<string, string | string[] | undefined>, name: string): string {
	if (headers instanceof Headers) return headers.get(name) ?? '';
	const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
	return (Array.isArray(value) ? value[0] : value) ?? '';
}
