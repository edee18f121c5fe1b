// Scripts write times as the server does (words.moment), wherever the reader is. No browser is needed.

process.env.TZ = 'America/New_York';

import assert from 'node:assert/strict';
import test from 'node:test';

import {inLanguage} from './modules.mjs';

const scripts = {en: await inLanguage('en', 'text.js'), ro: await inLanguage('ro', 'text.js')};

for (const [lang, instant, want] of [
	['en', '2026-06-10T11:05:00Z', '10 June 2026, 14:05 EEST'],
	['ro', '2026-11-10T11:05:00Z', '10 noiembrie 2026, 13:05 EET'],
	['en', '2026-06-10T22:30:00Z', '11 June 2026, 01:30 EEST'],
]) {
	test(`${instant} in ${lang}`, () => {
		assert.equal(scripts[lang].time(instant), want);
		assert.equal(scripts[lang].hour(instant), want.split(', ')[1]);
	});
}
