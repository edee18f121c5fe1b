// Signing in and up, by password, mail or another service, and resetting the password.

import {ask} from './api.js';
import {asked, back, keep, onward} from './back.js';
import {h, id} from './dom.js';
import {action, form} from './form.js';
import {t} from './text.js';
import {explain} from './wrong.js';

const {providers = '', mails = '', closed = '', terms = ''} = id('dashboard').dataset;

const post = (path, body) => ask(`/api/auth${path}`, {method: 'POST', body});

const email = {name: 'email', label: t('field.email'), type: 'email', autocomplete: 'email', maxlength: 200};
const known = {name: 'password', label: t('field.password'), type: 'password', autocomplete: 'current-password'};
const fresh = {name: 'password', label: t('field.password'), type: 'password', autocomplete: 'new-password', minlength: 8, maxlength: 128, hint: t('field.passwordHint')};

// texts is the sentence by which a user accepts both texts. Their version is stored with the account.
const texts = (start) => [start, ' ', h('a', {href: '/about/terms', target: '_blank'}, t('gate.consentTerms')), ' ',
	t('gate.consentAnd'), ' ', h('a', {href: '/about/privacy', target: '_blank'}, t('gate.consentPrivacy'))];

const consent = {name: 'consent', type: 'checkbox', value: terms, missing: t('gate.consentMissing'), label: texts(t('gate.consent'))};

function card(heading, message, ...children) {
	document.title = `${heading} · rodata`;
	const error = new URLSearchParams(location.search).get('error');
	return h('div', {class: 'gate'}, h('div', {class: 'card'}, h('h2', {}, heading),
		message ? h('p', {class: 'notice plain', role: 'status'}, message) : null,
		error ? h('p', {class: 'notice bad', role: 'alert'}, explain({code: error})) : null,
		children));
}

// others are the ways to sign in without a password. Each creates an account if there is none; with a link by mail, the
// page of the link says so.
function others() {
	const names = {github: 'GitHub', google: 'Google'};
	const buttons = providers.split(' ').filter(Boolean).map((provider) => h('p', {}, action(t('gate.with', {provider: names[provider] ?? provider}), async () => {
		const {data} = await post('/sign-in/social', {provider, consent: terms, callbackURL: back(), errorCallbackURL: keep('/dashboard/sign-in')});
		location.assign(data.url);
	}, 'button quiet')));
	if (buttons.length && !closed) buttons.push(h('p', {class: 'hint'}, texts(t('gate.consentOthers')), '.'));
	if (mails) buttons.push(h('p', {}, h('a', {class: 'button quiet', href: keep('/dashboard/link')}, t('gate.link'))));
	return buttons.length ? [h('p', {class: 'or'}, t('gate.or')), buttons] : [];
}

const sent = (heading, text) => card(heading, text, h('p', {class: 'below'}, h('a', {href: keep('/dashboard/sign-in')}, t('gate.toSignIn'))));
const swap = (element, other) => element.closest('.gate').replaceWith(other);

// gates creates the view for the last part of the path.
export const gates = {
	'sign-in': ({go, render, message}) => card(t('gate.signIn'), message,
		form([email, known], t('gate.signIn'), async (values, element) => {
			try {
				await post('/sign-in/email', values);
			} catch (problem) {
				if (problem.code !== 'EMAIL_NOT_VERIFIED') throw problem;
				await post('/send-verification-email', {email: values.email, callbackURL: back()});
				return swap(element, sent(t('gate.verify'), t('gate.verifySent', {email: values.email})));
			}
			return back() === location.pathname ? render() : onward(go);
		}),
		others(),
		closed ? null : h('p', {class: 'below'}, t('gate.noAccount'), ' ', h('a', {href: keep('/dashboard/sign-up')}, t('gate.signUp'))),
		mails ? h('p', {class: 'below'}, h('a', {href: '/dashboard/forgot'}, t('gate.forgot'))) : null),

	'sign-up': ({go}) => closed ? sent(t('gate.signUp'), t('gate.closed')) : card(t('gate.signUp'), t('gate.free'),
		form([{name: 'name', label: t('field.name'), autocomplete: 'name', maxlength: 120}, email, fresh, consent], t('gate.signUp'), async (values, element) => {
			const {data} = await post('/sign-up/email', {...values, callbackURL: back()});
			if (data.token) return onward(go, asked() ?? '/dashboard/keys', {message: t('gate.welcome')});
			swap(element, sent(t('gate.verify'), t('gate.verifySent', {email: values.email})));
		}),
		others(),
		h('p', {class: 'below'}, t('gate.haveAccount'), ' ', h('a', {href: keep('/dashboard/sign-in')}, t('gate.signIn')))),

	link: () => card(t('gate.link'), null,
		h('p', {}, t('gate.linkText')),
		form([email], t('gate.send'), async (values, element) => {
			await post('/sign-in/magic-link', {...values, consent: terms, callbackURL: back(), errorCallbackURL: keep('/dashboard/sign-in')});
			swap(element, sent(t('gate.sent'), t('gate.linkSent', {email: values.email})));
		}),
		h('p', {class: 'below'}, h('a', {href: keep('/dashboard/sign-in')}, t('gate.toSignIn')))),

	forgot: () => card(t('gate.forgot'), null,
		h('p', {}, t('gate.forgotText')),
		form([email], t('gate.send'), async (values, element) => {
			await post('/request-password-reset', {...values, redirectTo: '/dashboard/reset'});
			swap(element, sent(t('gate.sent'), t('gate.forgotSent', {email: values.email})));
		}),
		h('p', {class: 'below'}, h('a', {href: keep('/dashboard/sign-in')}, t('gate.toSignIn')))),

	reset: ({go}) => {
		const token = new URLSearchParams(location.search).get('token');
		if (!token) return card(t('gate.reset'), t('gate.resetExpired'), h('p', {class: 'below'}, h('a', {href: '/dashboard/forgot'}, t('gate.forgot'))));
		return card(t('gate.reset'), null, form([{...fresh, name: 'newPassword', label: t('field.newPassword')}], t('gate.resetButton'), async (values) => {
			await post('/reset-password', {...values, token});
			go('/dashboard/sign-in', {message: t('gate.resetDone')});
		}));
	},
};
