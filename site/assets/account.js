// The account page: name, address, password, sessions, authorized programs, and closing the account.

import {ask} from './api.js';
import {fillApps} from './apps.js';
import {h, id} from './dom.js';
import {action, confirm, form, reason} from './form.js';
import {ago, t} from './text.js';

const {mails, apps} = id('dashboard').dataset;
const post = (path, body = {}) => ask(`/api/auth${path}`, {method: 'POST', body});

export async function showAccount(body, {signed, go, render}) {
	const sessions = h('div', {class: 'card', id: 'sessions'});
	const logins = (await ask('/api/auth/list-accounts')).data;
	const hasPassword = logins.some(({providerId}) => providerId === 'credential');
	const allowed = apps ? h('div', {class: 'card', id: 'apps'}) : '';
	try {
		await Promise.all([fillSessions(sessions, signed.session), allowed && fillApps(allowed)]);
	} finally {
		body.append(profile(signed.user, hasPassword, render), hasPassword ? password() : '', sessions, allowed, ending(hasPassword, go));
	}
}

function profile(user, hasPassword, render) {
	const told = h('p', {role: 'status', class: 'hint'});
	return h('div', {class: 'card'}, h('h3', {}, t('account.profile')),
		form([{name: 'name', label: t('field.name'), value: user.name, autocomplete: 'name', maxlength: 120}], t('save'), async (values) => {
			await post('/update-user', values);
			render({message: t('saved')});
		}, {inline: true, kind: 'quiet'}),
		h('p', {class: 'actions'}, h('span', {class: 'address'}, user.email), ' ', h('span', {class: `badge ${user.emailVerified ? 'good' : ''}`}, t(user.emailVerified ? 'account.verified' : 'account.unverified'))), told,
		mails ? changeEmail(user, hasPassword, told) : null);
}

// confirmationNotice asks for the confirmation of an address that is not confirmed: digests go only to confirmed ones.
export function confirmationNotice({email, emailVerified}) {
	if (emailVerified || !mails) return null;
	const told = h('p', {role: 'status'}, action(t('account.verify'), async () => {
		await post('/send-verification-email', {email, callbackURL: location.pathname});
		told.textContent = t('gate.verifySent', {email});
	}));
	return h('div', {class: 'notice'}, h('p', {}, t('account.unconfirmed', {email})), told);
}

// changeEmail asks for the new address and, unless the user has none, the password. If the current address is verified,
// the first link goes there.
function changeEmail(user, hasPassword, told) {
	const fields = [{name: 'newEmail', label: t('field.newEmail'), type: 'email', autocomplete: 'email', maxlength: 200}];
	if (hasPassword) fields.push({name: 'password', label: t('field.currentPassword'), type: 'password', autocomplete: 'current-password'});
	return h('details', {}, h('summary', {}, t('account.changeEmail')), hasPassword ? null : h('p', {class: 'hint'}, t('account.changeEmailRecent')),
		form(fields, t('save'), async (values, element) => {
			await post('/change-email', {...values, callbackURL: '/dashboard/account'});
			element.reset();
			told.textContent = t('gate.verifySent', {email: user.emailVerified ? user.email : values.newEmail});
		}, {kind: 'quiet'}));
}

function password() {
	const told = h('p', {role: 'status', class: 'hint'});
	return h('div', {class: 'card'}, h('h3', {}, t('account.password')), h('details', {}, h('summary', {}, t('account.changePassword')), form([
		{name: 'currentPassword', label: t('field.currentPassword'), type: 'password', autocomplete: 'current-password'},
		{name: 'newPassword', label: t('field.newPassword'), type: 'password', autocomplete: 'new-password', minlength: 8, maxlength: 128, hint: t('field.passwordHint')},
	], t('account.changePassword'), async (values, element) => {
		await post('/change-password', {...values, revokeOtherSessions: true});
		element.reset();
		told.textContent = t('account.passwordChanged');
	}, {kind: 'quiet'})), told);
}

async function fillSessions(card, current) {
	card.replaceChildren(h('h3', {}, t('account.sessions')));
	let sessions;
	try {
		sessions = (await ask('/api/auth/list-sessions')).data;
	} catch (problem) {
		return card.append(h('p', {class: 'hint'}, reason(problem)));
	}
	card.append(h('ul', {class: 'results'}, sessions.map((session) => h('li', {}, h('div', {class: 'row'},
		h('div', {}, h('b', {}, device(session.userAgent)), h('span', {}, [session.ipAddress, t('account.since', {ago: ago(session.createdAt)})].filter(Boolean).join(' · '))),
		session.id === current.id ? h('span', {class: 'badge good'}, t('account.this')) :
			h('div', {}, action(t('account.end'), async () => {
				await post('/revoke-session', {token: session.token});
				await fillSessions(card, current);
			}, 'button danger small')))))),
	sessions.length > 1 ? h('p', {}, action(t('account.endOthers'), async () => {
		await post('/revoke-other-sessions');
		await fillSessions(card, current);
	})) : '');
}

// device describes a browser and system roughly, so that users recognize their own.
function device(agent = '') {
	const find = (names) => names.find(([mark]) => agent?.includes(mark))?.[1];
	const browser = find([['Edg/', 'Edge'], ['Firefox/', 'Firefox'], ['Chrome/', 'Chrome'], ['Safari/', 'Safari'], ['curl/', 'curl']]);
	const system = find([['Android', 'Android'], ['iPhone', 'iPhone'], ['iPad', 'iPad'], ['Windows', 'Windows'], ['Mac OS', 'macOS'], ['Linux', 'Linux']]);
	return [browser ?? t('account.unknownDevice'), system].filter(Boolean).join(', ');
}

function ending(hasPassword, go) {
	const told = h('p', {role: 'status', class: 'hint'});
	const field = {name: 'password', label: t('field.password'), type: 'password', autocomplete: 'current-password'};
	return h('div', {class: 'card'}, h('h3', {}, t('account.delete')), h('details', {}, h('summary', {}, t('account.deleteOpen')),
		h('p', {}, t('account.deleteText')),
		form(hasPassword ? [field] : [], t('account.delete'), (values) => confirm(t('account.deleteSure'), t('account.delete'), async () => {
			const {data} = await post('/delete-user', {...values, callbackURL: '/dashboard/sign-in'});
			if (data.message === 'User deleted') go('/dashboard/sign-in', {message: t('account.deleted')});
			else told.textContent = t('account.deleteMailed');
		}), {kind: 'danger'}), told));
}
