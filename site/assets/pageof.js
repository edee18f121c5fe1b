// Finds the page of the site that answers a query.

const address = (path, values) => {
	const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value));
	return query.size ? `${path}?${query}` : path;
};

// days reads old links to the front page, which showed the statuses of a company on a given day.
function days() {
	const {date, knownAt} = Object.fromEntries(new URLSearchParams(location.search));
	return date ? address('/status', {date, knownAt}) : '';
}

const pages = {
	company: ({cui}) => `/companies/${cui}${days()}`,
	register: ({number}) => address('/companies', {q: number}),
	words: ({q}) => address('/companies', {q}),
	caen: ({code}) => `/caen/${code}`,
	activity: ({q}) => address('/caen', {q}),
	place: ({code}) => `/places/${code}`,
	rates: ({date}) => address('/rates', {date}),
	rate: ({currency, date}) => address(`/rates/${currency}`, {date}),
};

// pageOf returns the address of the page for a meaning (meaning.js), or nothing if the front page answers it itself.
export const pageOf = (wanted) => pages[wanted.kind]?.(wanted);
