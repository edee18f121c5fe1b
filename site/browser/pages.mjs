// The pages of the site. A test in Go compares them with its routes.

import {readFile} from 'node:fs/promises';

const {pages: all} = JSON.parse(await readFile(new URL('pages.json', import.meta.url), 'utf8'));

// pages are those that everyone may see, and own those of an account.
export const pages = all.filter(({account}) => !account);
export const own = all.filter(({account}) => account);
