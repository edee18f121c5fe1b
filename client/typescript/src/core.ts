// The base of the generated methods: requests, retries, problems and streams.
import type { Problem } from './api.js';

/** Options of a client. */
export interface Options {
	/** Address of the gateway, without /v1. */
	url: string;
	/** API key. Default: none; calls without one are limited by address. */
	key?: string;
	/** The maximum number of retries after a 429 or 503 with Retry-After. Default 3. */
	retries?: number;
	/** The maximum Retry-After for which a call waits, in seconds. With a longer one, it fails at once. Default 30. */
	maxWait?: number;
	/** The maximum duration of an attempt, and the maximum silence of a stream, in seconds. Default 60. */
	timeout?: number;
	/** Sends the requests. Default: the global fetch. */
	fetch?: typeof fetch;
}

/** An error response of the gateway. Programs should use `problem.code`; `message` is for people. */
export class ProblemError extends Error {
	override readonly name = 'ProblemError';

	/** The value of the header Retry-After, in seconds, or undefined. */
	constructor(readonly status: number, readonly problem: Problem, readonly retryAfter?: number) {
		super(`${problem.code}: ${problem.detail}`);
	}
}

/** A stream ended before its last line, so that items may be missing. */
export class CutError extends Error {
	override readonly name = 'CutError';
}

/** Parts of a request. */
interface Parts {
	query?: Record<string, unknown>;
	body?: unknown;
	/** A body that is not JSON, and its media type. */
	file?: BodyInit;
	type?: string;
	headers?: Record<string, string>;
	/** Sends a random Idempotency-Key, so that a retry is not charged twice. */
	repeatable?: boolean;
}

/** Alarm ends a request when the gateway is silent for too long. */
class Alarm {
	private readonly controller = new AbortController();
	readonly signal = this.controller.signal;
	private timer?: ReturnType<typeof setTimeout>;

	constructor(private readonly seconds: number) {}

	/** Starts or restarts the countdown. */
	set(): void {
		this.clear();
		const silent = new DOMException('the gateway was silent for too long', 'TimeoutError');
		this.timer = setTimeout(() => this.controller.abort(silent), 1000 * this.seconds);
	}

	clear(): void {
		clearTimeout(this.timer);
	}
}

/** Encodes an argument of a path. */
export const segment = (value: string | number): string => encodeURIComponent(String(value));

/** Core sends requests. */
export class Core {
	private readonly options: Required<Omit<Options, 'key'>> & { key?: string };

	constructor(options: Options) {
		if (!/^https?:\/\//.test(options.url)) {
			throw new TypeError(`"${options.url}" is not the address of a gateway; give one such as https://api.example.ro`);
		}
		const url = options.url.replace(/\/+$/, '').replace(/\/v1$/, '');
		this.options = { retries: 3, maxWait: 30, timeout: 60, fetch: (...request) => fetch(...request), ...options, url };
	}

	/** Returns a JSON answer. */
	async call<T>(method: string, path: string, parts: Parts = {}): Promise<T> {
		const text = await this.text(method, path, { ...parts, headers: { accept: 'application/json', ...parts.headers } });
		return (text === '' ? undefined : JSON.parse(text)) as T;
	}

	/** Returns an answer as text. */
	text(method: string, path: string, parts: Parts = {}): Promise<string> {
		return this.send(method, path, parts, (response) => response.text());
	}

	/** Returns an answer as bytes. */
	bytes(method: string, path: string, parts: Parts = {}): Promise<Uint8Array> {
		return this.send(method, path, parts, async (response) => new Uint8Array(await response.arrayBuffer()));
	}

	/** Yields the lines of a JSON stream as they arrive. An incomplete last line is left out. */
	async *lines<T>(method: string, path: string, parts: Parts = {}): AsyncGenerator<T, void, undefined> {
		const alarm = new Alarm(this.options.timeout);
		try {
			const headers = { accept: 'application/x-ndjson', ...parts.headers };
			const body = await this.send(method, path, { ...parts, headers }, async (response) => response.body!, alarm);
			const reader = body.pipeThrough(new TextDecoderStream()).getReader();
			try {
				let rest = '';
				for (let chunk = await next(reader); !chunk.done; chunk = await next(reader)) {
					alarm.set();
					const complete = (rest + chunk.value).split('\n');
					rest = complete.pop()!;
					for (const line of complete) if (line.trim() !== '') yield JSON.parse(line) as T;
				}
			} finally {
				await reader.cancel().catch(() => {}); // whoever stops early frees the connection
			}
		} finally {
			alarm.clear();
		}
	}

	/** Sends a request, repeats it as long as the gateway asks for a retry, and reads the answer. */
	private async send<T>(
		method: string, path: string, parts: Parts, read: (response: Response) => Promise<T>, streaming?: Alarm,
	): Promise<T> {
		const alarm = streaming ?? new Alarm(this.options.timeout);
		try {
			return await this.attempts(method, path, parts, read, alarm);
		} finally {
			if (alarm !== streaming) alarm.clear();
		}
	}

	private async attempts<T>(
		method: string, path: string, parts: Parts, read: (response: Response) => Promise<T>, alarm: Alarm,
	): Promise<T> {
		const { url, key, retries, maxWait } = this.options;
		const headers: Record<string, string> = { accept: '*/*', ...parts.headers };
		if (key !== undefined) headers['authorization'] = `Bearer ${key}`;
		if (parts.repeatable) headers['idempotency-key'] ??= crypto.randomUUID();
		if (parts.body !== undefined) headers['content-type'] = 'application/json';
		if (parts.type !== undefined) headers['content-type'] = parts.type;
		const body = parts.body === undefined ? parts.file ?? null : JSON.stringify(parts.body);

		for (let attempt = 0; ; attempt++) {
			alarm.set();
			const { signal } = alarm;
			const response = await this.options.fetch(url + path + search(parts.query), { method, headers, body, signal, redirect: 'manual' });
			if (response.ok) return read(response);

			const error = await problemOf(response);
			const again = (error.status === 429 || error.status === 503) && error.retryAfter !== undefined;
			if (!again || attempt >= retries || error.retryAfter! > maxWait) throw error;
			alarm.clear(); // this silence was asked for
			await new Promise((done) => setTimeout(done, 1000 * error.retryAfter!));
		}
	}
}

/** Reads the next chunk. A broken connection means missing items, like a stream that ends too early. */
async function next(reader: ReadableStreamDefaultReader<string>): Promise<ReadableStreamReadResult<string>> {
	try {
		return await reader.read();
	} catch (cause) {
		throw new CutError('the answer was cut off: items may be missing', { cause });
	}
}

/** Encodes the arguments of a query. Arguments that are undefined are left out. */
function search(query: Record<string, unknown> = {}): string {
	const given = Object.entries(query).filter(([, value]) => value !== undefined);
	return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** Parses a problem. A proxy in between may have answered in another format. */
async function problemOf(response: Response): Promise<ProblemError> {
	const text = await response.text();
	const retryAfter = /^\d+$/.test(response.headers.get('retry-after') ?? '') ? Number(response.headers.get('retry-after')) : undefined;
	if (response.headers.get('content-type')?.startsWith('application/problem+json')) {
		return new ProblemError(response.status, JSON.parse(text) as Problem, retryAfter);
	}
	const detail = `the answer is not from the gateway: ${text.slice(0, 200)}`;
	return new ProblemError(response.status, { type: 'about:blank', title: response.statusText, status: response.status, detail, code: 'internal' }, retryAfter);
}
