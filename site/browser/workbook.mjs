// Workbooks as offices have them, for walks.

import {crc32} from 'node:zlib';

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packages = 'http://schemas.openxmlformats.org/package/2006';

// workbook returns an XLSX file with the given sheets: arrays of rows, with texts, numbers, {number}, which is written as
// given, {date}, a day as its number, and null for an empty cell.
export function workbook(sheets) {
	const names = Object.keys(sheets);
	return zip({
		'[Content_Types].xml': `<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>`,
		'_rels/.rels': relations([['officeDocument', 'xl/workbook.xml']]),
		'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${names.map((name, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="r${i}"/>`).join('')}</sheets></workbook>`,
		'xl/_rels/workbook.xml.rels': relations([...names.map((_, i) => ['worksheet', `sheet${i}.xml`]), ['styles', 'styles.xml']]),
		'xl/styles.xml': `<styleSheet xmlns="${main}"><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
		...Object.fromEntries(names.map((name, i) => [`xl/sheet${i}.xml`, `<worksheet xmlns="${main}"><sheetData>${sheets[name].map((cells) => `<row>${cells.map(cell).join('')}</row>`).join('')}</sheetData></worksheet>`])),
	});
}

const relations = (all) => `<Relationships xmlns="${packages}/relationships">${all.map(([type, target], i) => `<Relationship Id="r${i}" Type="${office}/${type}" Target="${target}"/>`).join('')}</Relationships>`;

function cell(value) {
	if (value === null) return '<c/>';
	if (typeof value === 'string') return `<c t="inlineStr"><is><t>${value}</t></is></c>`;
	return `<c${value.date ? ' s="1"' : ''}><v>${value.date ?? value.number ?? value}</v></c>`;
}

// zip returns an archive of texts by name, uncompressed.
function zip(files) {
	const parts = [], index = [];
	let at = 0;
	for (const [name, text] of Object.entries(files)) {
		const data = Buffer.from(text), path = Buffer.from(name), head = Buffer.alloc(26);
		head.writeUInt16LE(20, 0);
		head.writeUInt32LE(crc32(data), 10);
		head.writeUInt32LE(data.length, 14);
		head.writeUInt32LE(data.length, 18);
		head.writeUInt16LE(path.length, 22);
		const rest = Buffer.alloc(14);
		rest.writeUInt32LE(at, 10);
		index.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), head, rest, path);
		parts.push(Buffer.from('PK\x03\x04', 'latin1'), head, path, data);
		at += 30 + path.length + data.length;
	}
	const end = Buffer.alloc(18), count = Object.keys(files).length, size = Buffer.concat(index).length;
	end.writeUInt16LE(count, 4);
	end.writeUInt16LE(count, 6);
	end.writeUInt32LE(size, 8);
	end.writeUInt32LE(at, 12);
	return Buffer.concat([...parts, ...index, Buffer.from('PK\x05\x06', 'latin1'), end]);
}
