// The base of the generated methods: requests, retries, problems and streams.
import type { Problem } from './api.js';

/** Options of a client. An undefined option takes its default. */
export interface Options {
	/** Address of the gateway, without /v1. */
	url: string;
	/** API key. Default: none; calls without one are limited by address. */
	key?: string;
	/** Sends the key over http:// to other machines as well, for a gateway within a private network, such as http://rodata:8080. Default false. */
	allowHttp?: boolean;
	/** The maximum number of retries after a 429 or 503 with Retry-After. Default 3. */
	retries?: number;
	/** The maximum Retry-After for which a call waits, in seconds. With a longer one, it fails at once. Default 30. */
	maxWait?: number;
	/** The maximum duration of an attempt, and the maximum silence of a stream, in seconds. Default 60; Infinity for no maximum. */
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

/** No gateway answers at the address: nothing listens there, or its name is unknown. */
export class UnreachableError extends Error {
	override readonly name = 'UnreachableError';
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

	constructor(private readonly seconds: number, private readonly url: string) {}

	/** Starts or restarts the countdown. */
	set(): void {
		this.clear();
		const silent = new DOMException(`${this.url} has been silent for ${this.seconds} s; check the address, or set a longer timeout`, 'TimeoutError');
		if (this.seconds !== Infinity) this.timer = setTimeout(() => this.controller.abort(silent), milliseconds(this.seconds));
	}

	clear(): void {
		clearTimeout(this.timer);
	}
}

/** Converts a duration for setTimeout, which ends at once if it gets more than 2^31 - 1. */
const milliseconds = (seconds: number): number => Math.min(1000 * seconds, 2 ** 31 - 1);

/** Encodes an argument of a path. */
export const segment = (value: string | number): string => encodeURIComponent(String(value));

/** Core sends requests. */
export class Core {
	private readonly options: Required<Omit<Options, 'key' | 'allowHttp'>> & { key: string | undefined };

	constructor(options: Options) {
		if (!/^https?:\/\//.test(options.url)) {
			throw new TypeError(`"${options.url}" is not the address of a gateway; give one such as https://api.example.ro`);
		}
		const key = options.key || undefined; // an empty key, such as that of an unset variable, is none
		if (key !== undefined && !options.allowHttp && !isPrivate(options.url)) {
			throw new TypeError(`the key would travel unencrypted to "${options.url}": use https://, or allowHttp within a private network`);
		}
		const url = options.url.replace(/\/+$/, '').replace(/\/v1$/, '');
		this.options = {
			url,
			key,
			retries: options.retries ?? 3,
			maxWait: options.maxWait ?? 30,
			timeout: options.timeout ?? 60,
			fetch: options.fetch ?? ((...request) => fetch(...request)),
		};
	}

	/** Returns a JSON answer. */
	async call<T>(method: string, path: string, parts: Parts = {}): Promise<T> {
		const text = await this.text(method, path, { ...parts, headers: { accept: 'application/json', ...parts.headers } });
		return (text === '' ? undefined : parse(text)) as T;
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
		const alarm = new Alarm(this.options.timeout, this.options.url);
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
					for (const line of complete) if (line.trim() !== '') yield parse(line) as T;
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
		const alarm = streaming ?? new Alarm(this.options.timeout, this.options.url);
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
		const body = parts.body === undefined ? parts.file ?? null : JSON.stringify(parts.body, jsonOf);

		for (let attempt = 0; ; attempt++) {
			alarm.set();
			const { signal } = alarm;
			const request = { method, headers, body, signal, redirect: 'manual' } as const;
			const response = await this.options.fetch(url + path + search(parts.query), request).catch((error) => {
				throw error instanceof TypeError ? unreachable(url, error) : error;
			});
			if (response.ok && !isOf(response, 'text/html')) return read(response);

			const error = await problemOf(response);
			const again = (error.status === 429 || error.status === 503) && error.retryAfter !== undefined;
			if (!again || attempt >= retries || error.retryAfter! > maxWait) throw error;
			alarm.clear(); // this silence was asked for
			await new Promise((done) => setTimeout(done, milliseconds(error.retryAfter!)));
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
	const { status, statusText } = response;
	const text = await response.text();
	const retryAfter = secondsOf(response.headers.get('retry-after') ?? '');
	if (isOf(response, 'application/problem+json')) {
		try {
			const problem = JSON.parse(text) as Problem | null;
			if (problem?.code && problem.detail) return new ProblemError(status, problem, retryAfter);
		} catch {} // not the gateway's
	}
	return foreign(status, statusText, text, retryAfter);
}

/** The error for an answer of another server. */
function foreign(status: number, title: string, text: string, retryAfter?: number): ProblemError {
	const detail = `the answer is not from the gateway: ${text.slice(0, 200)}`;
	return new ProblemError(status, { type: 'about:blank', title, status, detail, code: 'internal' }, retryAfter);
}

/** Parses the JSON of a successful answer. */
function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		throw foreign(200, 'OK', text);
	}
}

/** Whether an answer is of a media type. */
const isOf = (response: Response, type: string): boolean => response.headers.get('content-type')?.toLowerCase().startsWith(type) ?? false;

/** Parses Retry-After: seconds, or a date (RFC 9110, section 10.2.3). */
function secondsOf(text: string): number | undefined {
	if (/^\d+$/.test(text)) return Number(text);
	const at = text.endsWith(' GMT') ? Date.parse(text) : NaN;
	return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

/** Whether nobody on the way can read what is sent to an address: it is encrypted, or stays on this machine. */
function isPrivate(address: string): boolean {
	const { protocol, hostname } = new URL(address);
	return protocol === 'https:' || /^(127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(hostname);
}

/** Names the address, which the error of fetch does not. */
function unreachable(url: string, error: TypeError): UnreachableError {
	const cause = error.cause as { message?: string; code?: string } | undefined;
	const reason = cause?.message || cause?.code || error.message;
	return new UnreachableError(`no gateway answers at ${url}: ${reason}; check the address, and that the gateway is running`, { cause: error });
}

/** JSON has no BigInt. The gateway takes a number beyond the exact ones as text. */
function jsonOf(_: string, value: unknown): unknown {
	if (typeof value !== 'bigint') return value;
	return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}
