// Which page of the site answers a question.

const address = (path, values) => {
	const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value));
	return query.size ? `${path}?${query}` : path;
};

// days are those of a link to the front page from when it showed the statuses of a company on another day.
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

// pageOf is the address of the page for a meaning (meaning.js); nothing for one that the front page answers itself.
export const pageOf = (wanted) => pages[wanted.kind]?.(wanted);
