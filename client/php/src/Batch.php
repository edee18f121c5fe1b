<?php
declare(strict_types=1);

namespace Rodata;

/**
 * Batch calls, answered item by item.
 *
 * @phpstan-import-type BatchCompaniesRequest from Client
 * @phpstan-import-type BatchVATNumbersRequest from Client
 * @phpstan-import-type CompanyBatchItem from Client
 * @phpstan-import-type CompanyBatchSummary from Client
 * @phpstan-import-type VATBatchItem from Client
 * @phpstan-import-type VATBatchSummary from Client
 */
final class Batch
{
    /**
     * Looks up a list of companies, and yields each as it becomes known, or in the order of the list (input). A
     * company that cannot be answered is an item with a problem. The generator returns the summary. If the stream
     * ends without a summary, it throws a CutException.
     *
     * @param BatchCompaniesRequest $body
     * @param 'known'|'input' $order
     * @return \Generator<int, CompanyBatchItem, void, CompanyBatchSummary>
     */
    public static function companies(Client $client, array $body, string $order = 'known'): \Generator
    {
        return self::items($client, '/v1/companies/batch', $body, $order);
    }

    /**
     * Checks a list of VAT numbers in the same way.
     *
     * @param BatchVATNumbersRequest $body
     * @param 'known'|'input' $order
     * @return \Generator<int, VATBatchItem, void, VATBatchSummary>
     */
    public static function vatNumbers(Client $client, array $body, string $order = 'known'): \Generator
    {
        return self::items($client, '/v1/vat-numbers/batch', $body, $order);
    }

    private static function items(Client $client, string $path, array $body, string $order): \Generator
    {
        foreach ($client->lines('POST', $path, ['order' => $order], $body, true) as $line) {
            if (isset($line['summary'])) {
                return $line['summary'];
            }
            yield $line;
        }
        throw new CutException('the answer was cut off: items may be missing');
    }
}
