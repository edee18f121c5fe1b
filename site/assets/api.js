// Calls the API of this host, /v1 and /api/auth, like any other client.

import {t} from './text.js';
import {explain} from './wrong.js';

// Problem is an error response, or a failure without a response (status 0). Its message is in the page's language.
export class Problem extends Error {
	constructor(status, body = {}, retryAfter = 0, inputs = {}) {
		super(explain(body, t(status === 0 ? 'problem.offline' : 'problem.strange', {status}), inputs));
		this.status = status;
		this.kind = String(body.type ?? '').split('/').pop();
		this.code = body.code;
		this.errors = body.errors;
		this.retryAfter = retryAfter;
		this.body = body;
	}
}

// patience is the maximum wait for the rate limit of callers without a key, in seconds, so that fast typing is no error.
const patience = 5;

// turn is the time at which the last waiting request may be sent. Waiting requests are sent one after another, because
// each would use up the call for which another waits.
let turn = Promise.resolve();

// ask sends a request and returns {status, data, header, took}. Empty values of query are left out. If the rate limit
// requires a short wait, it waits and tries again. A string body is a table; a Blob is sent unchanged. A request with an
// id is executed only once, even if it is repeated. With file, data is a Blob. inputs are the page's names of parameters.
// A guest sends no session.
export async function ask(path, {method = 'GET', query = {}, body, key, signal, id, file, inputs, guest} = {}, tries = 6) {
	const started = performance.now();
	const response = await send(address(path, query), {method, body, key, signal, id, guest, accept: file ? '*/*' : 'application/json'});
	if (file && response.ok) return {status: response.status, data: await response.blob(), header: response.headers};
	const text = await response.text();
	const data = read(text, response);
	if (response.ok) return {status: response.status, data, header: response.headers, took: performance.now() - started};
	const retryAfter = Number(response.headers.get('Retry-After') ?? response.headers.get('X-Retry-After') ?? 0);
	if (response.status === 429 && method === 'GET' && tries > 1 && retryAfter <= patience) {
		turn = turn.then(() => pause(Math.max(1, retryAfter) * 1000, signal)).catch(() => {});
		await turn;
		signal?.throwIfAborted();
		return ask(path, {method, query, body, key, signal, id, file, inputs, guest}, tries - 1);
	}
	throw new Problem(response.status, data ?? {}, retryAfter, inputs);
}

// address returns a path with a query.
export function address(path, query = {}) {
	const given = Object.entries(query).filter(([, value]) => value !== '' && value !== null && value !== undefined);
	return given.length ? `${path}?${new URLSearchParams(given)}` : path;
}

async function send(url, {method, body, key, signal, id, guest, accept}) {
	const headers = {Accept: accept}, whole = typeof body === 'string' || body instanceof Blob;
	if (body !== undefined) headers['Content-Type'] = body instanceof Blob ? body.type : whole ? 'text/csv' : 'application/json';
	if (key) headers.Authorization = `Bearer ${key}`;
	if (id) headers['Idempotency-Key'] = id;
	try {
		return await fetch(url, {method, headers, signal, credentials: guest ? 'omit' : 'same-origin', body: body === undefined || whole ? body : JSON.stringify(body)});
	} catch (error) {
		if (error.name === 'AbortError') throw error;
		throw new Problem(0);
	}
}

function read(text, response) {
	if (!text || !/[/+]json/.test(response.headers.get('Content-Type') ?? '')) return null;
	try {
		return JSON.parse(text);
	} catch {
		throw new Problem(response.status);
	}
}

// pause waits. It ends early, with the signal's error, when the signal is aborted.
function pause(milliseconds, signal) {
	return new Promise((resolve, reject) => {
		const timer = setTimeout(resolve, milliseconds);
		signal?.addEventListener('abort', () => {
			clearTimeout(timer);
			reject(signal.reason);
		}, {once: true});
	});
}
