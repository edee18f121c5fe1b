// The page to return to after signing in.

const gates = /\/(sign-in|sign-up|forgot|reset|link)$/;

// asked is the path on this service given as ?return=/path, or null. Addresses of other hosts are ignored, however they
// are written.
export function asked() {
	const given = new URLSearchParams(location.search).get('return');
	if (!given?.startsWith('/')) return null;
	const url = URL.parse(given, location.origin);
	return url?.origin === location.origin && !url.pathname.startsWith('//') ? url.pathname + url.search : null;
}

// back is that path, or otherwise the requested view.
export const back = () => asked() ?? (gates.test(location.pathname) ? '/dashboard' : location.pathname);

// keep adds the same return path to a link to another sign-in form.
export const keep = (path) => asked() ? `${path}?${new URLSearchParams({return: asked()})}` : path;

// onward goes there. It uses go for views that the dashboard itself shows.
export const onward = (go, to = back(), options = {}) => /^\/dashboard(?![^/?])/.test(to) ? go(to, options) : location.assign(to);
