// Runs the official better-auth client through every flow, against our service
// and against better-auth's own server, and prints where the two differ. A step is
// compared by the status, the code of an error, the shape of the data, where a
// browser is sent, and the cookies that are set.
//
//   OPEN=http://... VERIFIED=http://... node flows.mjs

import { createServer } from "node:http";
import { betterAuth } from "better-auth";
import { createAuthClient } from "better-auth/client";
import { magicLinkClient } from "better-auth/client/plugins";
import { memoryAdapter } from "better-auth/adapters/memory";
import { toNodeHandler } from "better-auth/node";
import { magicLink } from "better-auth/plugins";

// reference starts better-auth's own server with the same settings as ours.
async function reference(requireVerification) {
	const mails = {};
	const keep = (to) => ({ url }) => { mails[to ?? ""] = url; };
	const send = async ({ user, url }) => keep(user.email)({ url });
	const server = createServer((req, res) => handler(req, res));
	await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
	const base = `http://127.0.0.1:${server.address().port}`;
	const auth = betterAuth({
		baseURL: base,
		secret: "a secret for tests, of some length",
		database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
		emailAndPassword: {
			enabled: true, requireEmailVerification: requireVerification, revokeSessionsOnPasswordReset: true,
			...(requireVerification ? { sendResetPassword: send } : {}),
		},
		emailVerification: requireVerification ? { sendOnSignUp: true, sendVerificationEmail: send } : {},
		user: { changeEmail: { enabled: true, updateEmailWithoutVerification: true, sendChangeEmailConfirmation: send }, deleteUser: { enabled: true } },
		socialProviders: { github: { clientId: "id", clientSecret: "secret" }, google: { clientId: "id", clientSecret: "secret" } },
		plugins: [magicLink({ sendMagicLink: async ({ email, url }) => keep(email)({ url }) })],
		rateLimit: { enabled: false },
		logger: { disabled: true },
		telemetry: { enabled: false },
	});
	const handler = toNodeHandler(auth);
	return { base, mail: async (to) => mails[to], close: () => server.close() };
}

// ours is our service; its test tells the links that were mailed.
const ours = (base) => ({ base, mail: async (to) => (await (await fetch(`${base}/test/mail?to=${to}`)).json()).url, close: () => {} });

// Browser keeps cookies and sends an Origin, as browsers do.
class Browser {
	cookies = {};
	seen = null;
	constructor(target) {
		this.target = target;
		this.client = createAuthClient({
			baseURL: target.base, plugins: [magicLinkClient()],
			fetchOptions: { customFetchImpl: (url, init) => this.fetch(url, init) },
		});
	}
	async fetch(url, init = {}) {
		const headers = new Headers(init.headers);
		headers.set("origin", this.target.base);
		const cookie = Object.entries(this.cookies).map(([name, value]) => `${name}=${value}`).join("; ");
		if (cookie) headers.set("cookie", cookie);
		const res = await fetch(url, { ...init, headers, redirect: "manual" });
		this.seen = { status: res.status, cookies: [] };
		for (const line of res.headers.getSetCookie()) {
			const [, name, value] = line.match(/^([^=]+)=([^;]*)/);
			const age = line.match(/max-age=(\d+)/i)?.[1];
			if (name.endsWith("session_data") || name.endsWith("dont_remember") && age === "0" || name.endsWith("state")) continue;
			if (this.cookies[name] === value) continue; // given again, which is needed for better-auth's cache only
			this.seen.cookies.push(`${name} ${age ?? "until closed"} ${/httponly/i.test(line)} ${/samesite=lax/i.test(line)} ${/path=\/(;|$)/i.test(line)}`);
			if (age === "0") delete this.cookies[name];
			else this.cookies[name] = value;
		}
		return res;
	}
}

// shape is what kind of thing a value is, all the way down. Null is the same as
// missing: better-auth's database in memory does not tell them apart.
function shape(value) {
	if (value === null || value === undefined) return "nothing";
	if (value instanceof Date) return "date";
	if (Array.isArray(value)) return value.length ? [shape(value[0])] : [];
	if (typeof value !== "object") return typeof value === "boolean" ? value : typeof value;
	return Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined && v !== null).sort(([a], [b]) => a < b ? -1 : 1).map(([k, v]) => [k, shape(v)]));
}

// run takes one target through all flows and returns what was seen.
async function run(target, verified) {
	const seen = {};
	const step = async (name, browser, call) => {
		const { data, error } = await call(browser.client);
		seen[name] = { ...browser.seen, code: error?.code, data: error ? undefined : shape(data) };
		return data;
	};
	const follow = async (name, browser, url) => {
		const res = await browser.fetch(url);
		const location = res.headers.get("location");
		const to = location && new URL(location, target.base);
		const body = res.status === 302 ? undefined : await res.json().catch(() => undefined);
		seen[name] = { ...browser.seen, to: to && to.pathname, error: to?.searchParams.get("error"), code: body?.code };
		return to;
	};
	const raw = async (name, browser, path, init) => {
		const res = await browser.fetch(`${target.base}/api/auth${path}`, { method: "POST", headers: { "content-type": "application/json" }, ...init });
		const body = await res.json().catch(() => null);
		seen[name] = { ...browser.seen, code: body?.code };
	};
	const email = "ana@exemplu.example", password = "parola mea lungă", signUp = { name: "Ana Exemplu", email, password };
	const one = new Browser(target), two = new Browser(target), none = new Browser(target);

	await step("ok", none, (c) => c.$fetch("/ok"));
	await step("no session", none, (c) => c.getSession());
	await step("sign up", one, (c) => c.signUp.email(signUp));
	await step("sign up again", none, (c) => c.signUp.email(signUp));
	await step("sign up, short password", none, (c) => c.signUp.email({ ...signUp, email: "b@exemplu.example", password: "scurt" }));
	await step("sign up, long password", none, (c) => c.signUp.email({ ...signUp, email: "b@exemplu.example", password: "x".repeat(129) }));
	await step("sign up, no address", none, (c) => c.signUp.email({ ...signUp, email: "ana" }));
	await raw("sign up, nothing", none, "/sign-up/email", { body: "{}" });
	await raw("sign up, broken", none, "/sign-up/email", { body: "{" });
	await raw("sign up, text", none, "/sign-up/email", { body: "x", headers: { "content-type": "text/plain" } });
	await raw("foreign callback", none, "/sign-in/email", { body: JSON.stringify({ email, password, callbackURL: "https://evil.example/" }) });
	await raw("foreign callback, two slashes", none, "/sign-in/email", { body: JSON.stringify({ email, password, callbackURL: "//evil.example/" }) });
	await raw("foreign callback, backslash", none, "/sign-in/email", { body: JSON.stringify({ email, password, callbackURL: "/\\evil.example/" }) });

	if (verified) {
		await step("sign in, not verified", one, (c) => c.signIn.email({ email, password }));
		await step("verification mail", none, (c) => c.sendVerificationEmail({ email, callbackURL: "/gata" }));
		await step("verification mail, unknown", none, (c) => c.sendVerificationEmail({ email: "nimeni@exemplu.example" }));
		const link = await target.mail(email);
		await follow("verify", none, link);
		await follow("verify again", none, link);
		await follow("verify, bad token", none, `${target.base}/api/auth/verify-email?token=x&callbackURL=/gata`);
		await follow("verify, bad token, no page", none, `${target.base}/api/auth/verify-email?token=x`);
	}

	await step("sign in, wrong password", none, (c) => c.signIn.email({ email, password: "alta parola" }));
	await step("sign in, unknown", none, (c) => c.signIn.email({ email: "nimeni@exemplu.example", password }));
	await step("sign in, no address", none, (c) => c.signIn.email({ email: "ana", password }));
	await step("sign in", one, (c) => c.signIn.email({ email: "ANA@Exemplu.example", password }));
	await step("sign in, with a page", two, (c) => c.signIn.email({ email, password, callbackURL: "/gata" }));
	await step("sign in, forgotten", two, (c) => c.signIn.email({ email, password, rememberMe: false }));
	await step("session", one, (c) => c.getSession());
	const own = await one.client.getSession();
	seen.dates = { revived: own.data.session.expiresAt instanceof Date && own.data.user.createdAt instanceof Date };
	const all = await step("sessions", one, (c) => c.listSessions());
	seen.current = { listed: all.some((s) => s.token === own.data.session.token) };
	await step("accounts", one, (c) => c.listAccounts());
	await step("sessions, nobody", none, (c) => c.listSessions());
	await step("revoke another", one, (c) => c.revokeSession({ token: all.find((s) => s.token !== own.data.session.token).token }));
	await step("revoke others", one, (c) => c.revokeOtherSessions());
	await step("revoked session", two, (c) => c.getSession());

	await step("rename", one, (c) => c.updateUser({ name: "Ana Exemplu-Nouă", image: "https://exemplu.example/ana.png" }));
	await step("rename, address", one, (c) => c.updateUser({ email: "alt@exemplu.example" }));
	await step("rename, nobody", none, (c) => c.updateUser({ name: "x" }));
	await step("renamed", one, (c) => c.getSession());

	await step("change password, wrong", one, (c) => c.changePassword({ currentPassword: "gresita!", newPassword: "alta parola lungă" }));
	await step("change password, short", one, (c) => c.changePassword({ currentPassword: password, newPassword: "x" }));
	await step("change password", one, (c) => c.changePassword({ currentPassword: password, newPassword: "alta parola lungă" }));
	await step("change password, revoking", one, (c) => c.changePassword({ currentPassword: "alta parola lungă", newPassword: password, revokeOtherSessions: true }));
	await step("after change", one, (c) => c.getSession());

	await step("reset", none, (c) => c.requestPasswordReset({ email, redirectTo: "/parola" }));
	await step("reset, unknown", none, (c) => c.requestPasswordReset({ email: "nimeni@exemplu.example", redirectTo: "/parola" }));
	await step("reset, bad token", none, (c) => c.resetPassword({ newPassword: "parola cea nouă", token: "x" }));
	await follow("reset page, bad token", none, `${target.base}/api/auth/reset-password/x?callbackURL=/parola`);
	if (verified) {
		const page = await follow("reset page", none, await target.mail(email));
		const token = page.searchParams.get("token");
		await step("reset, short", none, (c) => c.resetPassword({ newPassword: "x", token }));
		await step("reset with token", none, (c) => c.resetPassword({ newPassword: "parola cea nouă", token }));
		await step("reset with token again", none, (c) => c.resetPassword({ newPassword: "parola cea nouă", token }));
		await step("session after reset", one, (c) => c.getSession());
		await step("old password", one, (c) => c.signIn.email({ email, password }));
		await step("new password", one, (c) => c.signIn.email({ email, password: "parola cea nouă" }));

		await step("magic link", none, (c) => c.signIn.magicLink({ email: "mihai@exemplu.example", name: "Mihai", callbackURL: "/bun-venit" }));
		const link = await target.mail("mihai@exemplu.example");
		const mihai = new Browser(target);
		await follow("magic link followed", mihai, link);
		await follow("magic link followed again", none, link);
		await step("session by magic link", mihai, (c) => c.getSession());
		await step("change address to another's", mihai, (c) => c.changeEmail({ newEmail: email }));
		await step("change address", mihai, (c) => c.changeEmail({ newEmail: "mihai2@exemplu.example", callbackURL: "/gata" }));
		await follow("change address confirmed", mihai, await target.mail("mihai@exemplu.example"));
		await follow("change address followed", mihai, await target.mail("mihai2@exemplu.example"));
	} else {
		await step("verification mail", none, (c) => c.sendVerificationEmail({ email }));
		await step("change address", one, (c) => c.changeEmail({ newEmail: "ana2@exemplu.example" }));
		await step("changed address", one, (c) => c.getSession());
	}

	for (const provider of ["github", "google"]) {
		const browser = new Browser(target);
		const data = await step(`social ${provider}`, browser, (c) => c.signIn.social({ provider, callbackURL: "/gata", disableRedirect: true }));
		const url = new URL(data.url);
		seen[`social ${provider} address`] = {
			at: url.origin + url.pathname, parameters: [...url.searchParams.keys()].filter((k) => !["nonce", "access_type", "prompt"].includes(k)).sort(),
			scope: url.searchParams.get("scope").split(" ").sort(), challenge: url.searchParams.get("code_challenge_method"),
			back: new URL(url.searchParams.get("redirect_uri")).pathname,
		};
	}
	await step("social, unknown", none, (c) => c.signIn.social({ provider: "gitlab", callbackURL: "/gata" }));
	await follow("callback without state", none, `${target.base}/api/auth/callback/github?code=x`);
	await follow("callback, another browser's", none, `${target.base}/api/auth/callback/github?code=x&state=y`);

	await step("sign out", one, (c) => c.signOut());
	await step("sign out again", one, (c) => c.signOut());
	await step("session after sign-out", one, (c) => c.getSession());
	const last = new Browser(target), address = verified ? email : "ana2@exemplu.example", final = verified ? "parola cea nouă" : password;
	await step("sign in to leave", last, (c) => c.signIn.email({ email: address, password: final }));
	await step("revoke all", last, (c) => c.revokeSessions());
	await step("sign in to leave again", last, (c) => c.signIn.email({ email: address, password: final }));
	await step("leave, wrong password", last, (c) => c.deleteUser({ password: "gresita!" }));
	await step("leave", last, (c) => c.deleteUser({ password: final }));
	await step("left", last, (c) => c.getSession());
	await step("sign in after leaving", last, (c) => c.signIn.email({ email: address, password: final }));
	await step("sign up after leaving", last, (c) => c.signUp.email({ ...signUp, email: address }));
	return seen;
}

let failed = false, steps = 0;
for (const [name, verified] of [["OPEN", false], ["VERIFIED", true]]) {
	const theirs = await reference(verified);
	const want = await run(theirs, verified), got = await run(ours(process.env[name]), verified);
	theirs.close();
	for (const key of Object.keys({ ...want, ...got })) {
		steps++;
		const [w, g] = [JSON.stringify(want[key]), JSON.stringify(got[key])];
		if (w !== g) {
			failed = true;
			console.log(`${name}, ${key}:\n  better-auth ${w}\n  ours        ${g}`);
		}
	}
}
console.log(`${steps} steps compared`);
process.exit(failed ? 1 : 0);
