// Reads dates as people write them: 2026-06-10, 10/06/2026, 10.06.2026, "10 iunie 2026", "10 June", "ieri".

const months = ['ian|ianuarie|jan|january', 'feb|februarie|february', 'mar|martie|march', 'apr|aprilie|april', 'mai|may', 'iun|iunie|jun|june',
	'iul|iulie|jul|july', 'aug|august', 'sep|sept|septembrie|september', 'oct|octombrie|october', 'noi|noiembrie|nov|november', 'dec|decembrie|december'];
const month = new Map(months.flatMap((names, i) => names.split('|').map((name) => [name, i + 1])));

const before = '(?:^|(?<=\\s))(?:(?:on|la|pe|din|of|from|in|data|de|cursul din) )*';
const forms = [
	[new RegExp(`${before}(?<y>\\d{4})-(?<m>\\d{1,2})-(?<d>\\d{1,2})(?!\\S)`), ({y, m, d}) => iso(y, m, d)],
	[new RegExp(`${before}(?<d>\\d{1,2})([./-])(?<m>\\d{1,2})\\2(?<y>\\d{4})(?!\\S)`), ({y, m, d}) => iso(y, m, d)],
	[new RegExp(`${before}(?<d>\\d{1,2}) (?<m>${[...month.keys()].join('|')})\\.?(?: (?<y>\\d{4}))?(?!\\S)`), ({y, m, d}, today) => named(y, month.get(m), d, today)],
	[/(?:^|(?<=\s))(?:de )?(?:azi|astazi|today)(?!\S)/, () => ''],
	[/(?:^|(?<=\s))(?:de |din )?(?:ieri|yesterday)(?!\S)/, (_, today) => new Date(Date.parse(today) - 86400e3).toISOString().slice(0, 10)],
];

// takeDay removes the date from a folded text and returns {date, rest}. The date is empty if there is none, or if it is
// today's. The API checks that the day exists.
export function takeDay(folded, today) {
	for (const [form, read] of forms) {
		const found = folded.match(form);
		if (found) return {date: read(found.groups, today), rest: folded.replace(form, ' ').replace(/\s+/g, ' ').trim()};
	}
	return {date: '', rest: folded};
}

const iso = (y, m, d) => `${y}-${`${m}`.padStart(2, '0')}-${d.padStart(2, '0')}`;

// named returns a day of a named month. Without a year, it is the latest such day.
function named(y, m, d, today) {
	if (y) return iso(y, m, d);
	const day = iso(today.slice(0, 4), m, d);
	return day <= today ? day : iso(`${today.slice(0, 4) - 1}`, m, d);
}
