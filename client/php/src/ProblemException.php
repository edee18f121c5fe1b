<?php
declare(strict_types=1);

namespace Rodata;

/**
 * An error response of the gateway. Programs should use problem['code']; the message is for people.
 *
 * @phpstan-import-type Problem from Client
 */
final class ProblemException extends \RuntimeException
{
    /**
     * @param Problem $problem
     * @param int|null $retryAfter the header Retry-After, in seconds; null without it
     */
    public function __construct(public readonly int $status, public readonly array $problem, public readonly ?int $retryAfter)
    {
        parent::__construct($problem['code'] . ': ' . $problem['detail'], $status);
    }
}
