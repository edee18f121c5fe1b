// The site's scripts for tests without a browser: copies that node loads as modules.

import {copyFile, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after} from 'node:test';

const assets = new URL('../assets/', import.meta.url);

// modules copies scripts into a folder, which is deleted after the tests, and returns its path.
export async function modules(...files) {
	const folder = await mkdtemp(join(tmpdir(), 'rodata-site-'));
	after(() => rm(folder, {recursive: true}));
	await writeFile(join(folder, 'package.json'), '{"type": "module"}');
	for (const file of files) await copyFile(new URL(file, assets), join(folder, file));
	return folder;
}
