// Where to go on after signing in.

const gates = /\/(sign-in|sign-up|forgot|reset|link)$/;

// asked is the address of this service that the page was given to go on at, as
// ?return=/path; null when there is none. Others' addresses are none, in whatever
// way they are written.
export function asked() {
	const given = new URLSearchParams(location.search).get('return');
	if (!given?.startsWith('/')) return null;
	const url = URL.parse(given, location.origin);
	return url?.origin === location.origin && !url.pathname.startsWith('//') ? url.pathname + url.search : null;
}

// back is that address, or else the view that was asked for.
export const back = () => asked() ?? (gates.test(location.pathname) ? '/dashboard' : location.pathname);

// keep has another of the gates go on there, too.
export const keep = (path) => asked() ? `${path}?${new URLSearchParams({return: asked()})}` : path;

// onward goes there; go is for what the dashboard shows itself.
export const onward = (go, to = back(), options = {}) => /^\/dashboard(?![^/?])/.test(to) ? go(to, options) : location.assign(to);
