// Parses C# with the tree-sitter grammar. It checks only the syntax, and needs no .NET.
//
//   node .ci/csharp.mjs NODE_MODULES FOLDER

import assert from 'node:assert/strict';
import {readFileSync, readdirSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join, resolve} from 'node:path';

const [modules, folder] = process.argv.slice(2);
const {Language, Parser} = createRequire(join(resolve(modules), 'package.json'))('web-tree-sitter');
await Parser.init();
const parser = new Parser();
parser.setLanguage(await Language.load(join(modules, 'tree-sitter-c-sharp/tree-sitter-c_sharp.wasm')));

const wrong = (code) => parser.parse(code).rootNode.hasError;
assert.ok(wrong('var x = "a";\nvar y = ;'), 'a mistake is found');

const files = readdirSync(folder).filter((name) => name.endsWith('.cs'));
assert.ok(files.length > 0, 'there are samples');
for (const name of files) {
	const code = readFileSync(join(folder, name), 'utf8');
	assert.ok(!wrong(code), `${name} is not C#:\n${code}`);
}
console.log(`C#: ${files.length} samples are parsed`);
