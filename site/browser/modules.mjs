// The site's scripts for tests without a browser: copies that node loads as modules.

import {copyFile, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after} from 'node:test';
import {pathToFileURL} from 'node:url';

const assets = new URL('../assets/', import.meta.url);

// modules copies scripts into a folder, which is deleted after the tests, and returns its path.
export async function modules(...files) {
	const folder = await mkdtemp(join(tmpdir(), 'rodata-site-'));
	after(() => rm(folder, {recursive: true}));
	await writeFile(join(folder, 'package.json'), '{"type": "module"}');
	for (const file of files) await copyFile(new URL(file, assets), join(folder, file));
	return folder;
}

// texts are the sentences of the site in its languages, in this order.
export const texts = JSON.parse(await readFile(new URL('../text.json', import.meta.url)));
export const languages = ['en', 'ro'];

// inLanguage loads a script that uses sentences, in a language, with the scripts that it imports.
export async function inLanguage(lang, file, ...imported) {
	const folder = await modules('text.js', file, ...imported);
	const sentences = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, text[languages.indexOf(lang)]]));
	await writeFile(join(folder, 'sentences.js'), `export default ${JSON.stringify(sentences)}`);
	globalThis.document = {documentElement: {lang}};
	return import(pathToFileURL(join(folder, file)));
}
