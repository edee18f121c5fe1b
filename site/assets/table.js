// The beginning of a chosen table, for a preview. The service parses the file itself: it also finds a header below a
// title, and a column of tax ids by its content.

const delimiters = [',', ';', '\t', '|'];

// taxIdNames are names of a column of tax ids, without diacritics. weakNames count only if none of the others occurs.
const taxIdNames = ['cui', 'taxid', 'codfiscal', 'cif', 'coduniccui', 'codunic', 'codunicdeinregistrare', 'codinregistrarefiscala', 'coddeinregistrarefiscala',
	'codulfiscal', 'vatid', 'vatnumber', 'vatno', 'taxnumber', 'taxno', 'cuicif', 'cifcui', 'fiscalcode'];
const weakNames = ['vat', 'tva'];

const plain = (name) => name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/[^a-z0-9]/g, '');

// preview returns the columns of a table, its first rows, and the index of the column of tax ids, or -1 if its name does
// not tell. The bytes are the start of the file. Unless they are the whole file, a truncated row at the end is left out.
export function preview(bytes, all = true) {
	const text = decode(bytes).replace(/^\uFEFF/, '').replace(/^sep=.\r?\n/i, '');
	const read = rowsOf(text, delimiterOf(text));
	if (!all && !text.endsWith('\n')) read.pop();
	const rows = read.filter((row) => row.some((cell) => cell.trim()));
	const [first = []] = rows;
	const named = (names) => first.flatMap((name, i) => names.includes(plain(name)) ? [i] : []);
	const [strong, weak] = [named(taxIdNames), named(weakNames)];
	const found = strong.length ? strong : weak;
	const width = Math.max(...rows.map((row) => row.length));
	if (first.length < width) return {columns: Array(width).fill(''), rows, taxId: -1}; // a title above the table
	if (width === 1) return /\d/.test(first[0]) ? {columns: ['taxId'], rows, taxId: 0} : {columns: first, rows: rows.slice(1), taxId: 0};
	return {columns: first, rows: rows.slice(1), taxId: found.length === 1 ? found[0] : -1};
}

// decode reads UTF-8, UTF-16 with a byte order mark, or otherwise Windows-1250, which Romanian programs for Windows use.
function decode(bytes) {
	const mark = `${bytes[0]} ${bytes[1]}`;
	if (mark === '255 254' || mark === '254 255') return new TextDecoder(mark === '255 254' ? 'utf-16le' : 'utf-16be').decode(bytes);
	try {
		return new TextDecoder('utf-8', {fatal: true}).decode(bytes, {stream: true}); // the last character may be cut
	} catch {
		return new TextDecoder('windows-1250').decode(bytes);
	}
}

// delimiterOf returns the delimiter that occurs most often in the first line with any, outside of quotation marks.
function delimiterOf(text) {
	const line = text.replace(/"[^"]*"/g, '').split('\n').find((one) => delimiters.some((delimiter) => one.includes(delimiter))) ?? '';
	const times = (delimiter) => line.split(delimiter).length;
	return delimiters.reduce((best, one) => times(one) > times(best) ? one : best);
}

// rowsOf splits a text into rows of cells (RFC 4180).
function rowsOf(text, delimiter) {
	const rows = [];
	let row = [], cell = '', quoted = false;
	for (let i = 0; i < text.length; i++) {
		const c = text[i];
		if (quoted) {
			if (c !== '"') cell += c;
			else if (text[i + 1] === '"') cell += text[++i];
			else quoted = false;
		} else if (c === '"' && cell === '') quoted = true;
		else if (c === delimiter || c === '\n') {
			row.push(cell.replace(/\r$/, ''));
			cell = '';
			if (c === '\n') rows.push(row.splice(0));
		} else cell += c;
	}
	if (cell || row.length) rows.push([...row, cell]);
	return rows;
}
