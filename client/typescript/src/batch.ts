// Batch calls, answered item by item.
import type { BatchCompaniesRequest, BatchVATNumbersRequest, Client, CompanyBatchItem, CompanyBatchSummary, VATBatchItem, VATBatchSummary } from './api.js';
import { CutError } from './core.js';

/** The order of the items: as they become known, or as in the list. */
export type Order = 'known' | 'input';

/**
 * Looks up a list of companies, and yields each as it becomes known. A company that cannot be answered is an item with a
 * problem. The generator returns the summary. If the stream ends without a summary, it throws a CutError.
 */
export function batchCompanies(client: Client, body: BatchCompaniesRequest, order: Order = 'known'): AsyncGenerator<CompanyBatchItem, CompanyBatchSummary> {
	return items(client, '/v1/companies/batch', body, order);
}

/** Checks a list of VAT numbers in the same way. */
export function batchVATNumbers(client: Client, body: BatchVATNumbersRequest, order: Order = 'known'): AsyncGenerator<VATBatchItem, VATBatchSummary> {
	return items(client, '/v1/vat-numbers/batch', body, order);
}

async function* items<Item extends object, Summary>(client: Client, path: string, body: unknown, order: Order): AsyncGenerator<Item, Summary> {
	for await (const line of client.lines<Item | { summary: Summary }>('POST', path, { body, query: { order }, repeatable: true })) {
		if ('summary' in line) return line.summary as Summary;
		yield line as Item;
	}
	throw new CutError('the answer was cut off: items may be missing');
}
