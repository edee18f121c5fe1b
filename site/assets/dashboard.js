// The dashboard: chooses the view for the address, and keeps the session.

import {showAccount, confirmationNotice} from './account.js';
import {ask} from './api.js';
import {asked, onward} from './back.js';
import {showInvoices, showPlans} from './billing.js';
import {h, id} from './dom.js';
import {action} from './form.js';
import {gates} from './gate.js';
import {showKeys} from './keys.js';
import {showLists} from './lists.js';
import {showMonitoring} from './monitoring.js';
import {problemNotice} from './page.js';
import {t} from './text.js';
import {showUsage} from './usage.js';

const views = {
	'/dashboard': {name: 'usage', show: showUsage},
	'/dashboard/lists': {name: 'lists', show: showLists},
	'/dashboard/monitoring': {name: 'monitoring', show: showMonitoring},
	'/dashboard/keys': {name: 'keys', show: showKeys},
	'/dashboard/plans': {name: 'plans', show: showPlans, open: true},
	'/dashboard/invoices': {name: 'invoices', show: showInvoices},
	'/dashboard/account': {name: 'account', show: showAccount},
};
const place = id('dashboard');
const heading = place.querySelector('h1');
let visit = 0;

// go changes the address and shows its view.
export function go(path, options) {
	history.pushState(null, '', path);
	return render(options);
}

// session is the current session, or null.
const session = async () => (await ask('/api/auth/get-session')).data;

// render shows the view of the address. Without a session it shows the sign-in form first.
async function render({message} = {}) {
	const mine = ++visit, path = location.pathname, view = views[path];
	const show = (...children) => {
		if (mine !== visit) return;
		place.replaceChildren(heading, ...children);
		place.querySelector('h2')?.setAttribute('tabindex', '-1');
		if (mine > 1) place.querySelector('h2')?.focus({preventScroll: true});
	};
	if (!place.querySelector('h2')) show(h('p', {class: 'hint spin'}, t('answer.loading')));
	try {
		const signed = await session();
		if (mine !== visit) return;
		if (!view && signed && path !== '/dashboard/reset') return onward(go, asked() ?? '/dashboard');
		if (!view || !signed && !view.open) return show(gates[path.split('/').pop()]?.({go, render, message}) ?? gates['sign-in']({go, render, message}));
		document.title = `${t(`dashboard.${view.name}`)} · rodata`;
		const body = h('div', {}, h('h2', {}, t(`dashboard.${view.name}`)), message ? h('p', {class: 'notice good', role: 'status'}, message) : null,
			signed && confirmationNotice(signed.user));
		show(signed ? h('div', {class: 'panel'}, side(path, signed.user), body) : body);
		await view.show(body, {signed, go, render});
	} catch (problem) {
		if (mine !== visit) return;
		if (problem.status === 401) return show(gates['sign-in']({go, render, message: t('dashboard.expired')}));
		if (problem.status === undefined) throw problem;
		(place.querySelector('.panel > div') ?? place).append(problemNotice(problem, render));
	}
}

function side(current, user) {
	return h('nav', {class: 'side', 'aria-label': t('dashboard.title')},
		h('p', {}, user.name || user.email),
		h('ul', {}, Object.entries(views).map(([path, {name}]) => h('li', {}, h('a', {href: path, 'aria-current': path === current ? 'page' : null}, t(`dashboard.${name}`)))),
			h('li', {}, action(t('dashboard.signOut'), async () => {
				await ask('/api/auth/sign-out', {method: 'POST', body: {}});
				go('/dashboard/sign-in', {message: t('dashboard.signedOut')});
			}))));
}

addEventListener('popstate', () => render());
place.addEventListener('click', (event) => {
	const link = event.target.closest('a[href^="/dashboard"]');
	if (!link || event.defaultPrevented || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
	event.preventDefault();
	go(link.pathname + link.search + link.hash);
});
render();
