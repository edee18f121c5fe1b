// Calls a sandbox with the published client anaf-ts-sdk:
//
//   node drop-in.mjs NODE_MODULES SANDBOX
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const [modules, sandbox] = process.argv.slice(2);
const { AnafDetailsClient } = createRequire(`${modules}/`)('@florinszilagyi/anaf-ts-sdk');
const client = new AnafDetailsClient({
	url: `${sandbox}/api/PlatitorTvaRest/v9/tva`,
	efacturaRegistryUrl: `${sandbox}/api/registruroefactura/v1/interogare`,
	asyncUrl: `${sandbox}/AsynchWebService/api/v8/ws/tva`,
	asyncResultUrl: `${sandbox}/AsynchWebService/api/v8/ws/tva`,
	timeout: 30_000,
});

const known = '9900000010', unknown = '9900009990'; // the sandbox's
const wanted = await (await fetch(`${sandbox}/v1/companies/${known}`)).json();

const found = await client.getCompanyData(`RO${known}`);
assert.equal(found.success, true, JSON.stringify(found));
assert.equal(found.data.length, 1);
assert.equal(found.data[0].vatCode, known);
assert.equal(found.data[0].registrationNumber, wanted.tradeNumber);
assert.equal(found.data[0].scpTva, wanted.vatPayer);
assert.ok(found.data[0].name && found.data[0].address);
assert.equal(found.data[0].efacturaRegistry.registered, wanted.eInvoice.registered);
assert.equal(found.data[0].efacturaRegistry.dataInscriere, wanted.eInvoice.since);

const nobody = await client.getCompanyData(unknown);
assert.deepEqual(nobody, { success: false, error: 'Companies not found for the provided VAT codes.' });

const some = await client.batchGetCompanyData([known, unknown]);
assert.equal(some.success, true, JSON.stringify(some));
assert.deepEqual(some.data.map((c) => c.vatCode), [known]);

const later = await client.getCompanyDataAsync(`RO${known}`, { retryDelay: 500 });
assert.equal(later.success, true, JSON.stringify(later));
assert.deepEqual(later.data.map((c) => c.vatCode), [known]);
assert.equal(later.fullDetails[0].inregistrare_scop_Tva.scpTVA, wanted.vatPayer);
assert.equal(typeof later.fullDetails[0].stare_inactiv.statusInactivi, 'boolean');

console.log('anaf-ts-sdk: found with its e-Factura registration, unknown, a batch, and the asynchronous form');
