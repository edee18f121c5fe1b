// Runs the queries of the guide about releases in DuckDB, against a sandbox:
//
//   node duckdb.mjs NODE_MODULES ADDRESS GUIDE
//
// DuckDB reads over HTTP with its extension httpfs, which it downloads from its own server. If that is unreachable, the
// script downloads the files, in ranges, and queries the copies.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { zstdDecompressSync } from 'node:zlib'

const [modules, address, guide] = process.argv.slice(2)
const { DuckDBInstance } = createRequire(modules + '/')('@duckdb/node-api')
const db = await (await DuckDBInstance.create(':memory:')).connect()
const ask = async sql => (await db.runAndReadAll(sql)).getRowObjectsJson()

// The files of the newest release are created while the sandbox already answers.
let newest
for (let tries = 0; !newest?.changesSince; tries++) {
	assert(tries < 60, 'the sandbox has no release with changes after a minute')
	if (tries) await new Promise(later => setTimeout(later, 1000))
	newest = (await (await fetch(address + '/v1/releases')).json()).releases[0]
}

const direct = await db.run('INSTALL httpfs; LOAD httpfs').then(() => true, () => false)
let local = sql => sql
if (!direct) {
	const files = Object.fromEntries(newest.files.map(f => [f.name, f]))
	for (const name of ['companies.parquet', 'changes.parquet']) await writeFile(name, await inRanges(address + files[name].path, files[name].bytes))
	local = sql => sql.replaceAll(/'http:[^']*\/latest\/([^']*)'/g, "'$1'")
}

const questions = [...(await readFile(guide, 'utf8')).matchAll(/```sql\n([^]*?)```/g)].map(m => m[1])
assert.equal(questions.length, 4, 'the guide has three questions, and one for the licence')
const answers = []
for (const sql of questions) {
	answers.push(await ask(local(sql.replaceAll('http://127.0.0.1:8080', address))))
	console.log(answers.length, JSON.stringify(answers.at(-1)).slice(0, 200))
}

const [counties, years, left, metadata] = answers
assert(counties.length === 10 && Number(counties[0].companies) >= Number(counties[9].companies) && counties.every(c => c.county), 'counties')
assert(years.length > 5 && years.some(y => Number(y.software) > 0) && years.every(y => Number(y.companies) >= Number(y.software)), 'years')
assert(left.length > 0 && left.every(c => c.name && c.state !== 'in_operation'), 'companies that left')
assert(metadata.some(m => m.key === 'licence' && m.value.startsWith('CC BY 4.0')) && metadata.some(m => m.key === 'attribution' && m.value.includes('Comerțului')), 'attribution')
const rows = await ask(local(`SELECT count(*) AS n FROM '${address}/v1/releases/latest/companies.parquet'`))
assert.equal(Number(rows[0].n), newest.companies)

// Decompressors give the same CSV; Node's stops after one frame, and the last frame names the licence.
const csv = Buffer.from(await (await fetch(address + '/v1/releases/latest/companies.csv.zst')).arrayBuffer())
await writeFile('companies.csv.zst', csv)
const lines = zstdDecompressSync(csv).toString().split('\r\n')
assert.equal(lines.length, newest.companies + 2) // the names of the columns, and nothing after the last line break
assert.equal(Number((await ask("SELECT count(*) AS n FROM 'companies.csv.zst'"))[0].n), newest.companies)
const facts = csv.toString().split('\n').slice(-7)
assert(facts[0].startsWith('title: ') && facts[4].includes('Comerțului') && facts[5].startsWith('licence: CC BY 4.0'), facts.join('\n'))
console.log(`DuckDB answers the guide's questions, ${direct ? 'over HTTP' : 'from files downloaded in ranges'}`)

// inRanges downloads a file in parts, as DuckDB does.
async function inRanges(url, size) {
	const parts = []
	for (let from = 0; from < size; from += 4096) {
		const to = Math.min(from + 4096, size) - 1
		const answer = await fetch(url, { headers: { Range: `bytes=${from}-${to}` } })
		assert.equal(answer.status, 206)
		assert.equal(answer.headers.get('content-range'), `bytes ${from}-${to}/${size}`)
		parts.push(Buffer.from(await answer.arrayBuffer()))
	}
	return Buffer.concat(parts)
}
