<?php
declare(strict_types=1);

namespace Rodata;

/**
 * Verification of webhook messages: https://www.standardwebhooks.com.
 *
 * @phpstan-import-type Event from Client
 */
final class Webhook
{
    /** The tolerated clock skew of a message, in seconds. */
    private const TOLERANCE = 300;

    private readonly string $key;

    /** @param string $secret of the webhook: whsec_ and base64 */
    public function __construct(#[\SensitiveParameter] string $secret)
    {
        $this->key = str_starts_with($secret, 'whsec_') ? (string) base64_decode(substr($secret, 6), true) : '';
        if ($this->key === '') {
            throw new \InvalidArgumentException('the secret of a webhook is whsec_ and base64; this one is not');
        }
    }

    /**
     * Verifies a message and returns its event. An event can be delivered more than once, with the same id.
     *
     * @param string $body raw body, before any parsing: file_get_contents('php://input')
     * @param array<string, string|list<string>> $headers of the request, case-insensitive: getallheaders(), or those of a
     *     PSR-7, Symfony or Laravel request
     * @param int|null $now Unix time, for tests
     * @return Event
     */
    public function verify(string $body, array $headers, ?int $now = null): array
    {
        $headers = array_map(fn ($value) => is_array($value) ? (string) reset($value) : $value, array_change_key_case($headers));
        $id = $headers['webhook-id'] ?? '';
        $timestamp = $headers['webhook-timestamp'] ?? '';
        $expected = hash_hmac('sha256', "$id.$timestamp.$body", $this->key, true);

        $signed = false;
        foreach (explode(' ', $headers['webhook-signature'] ?? '') as $one) { // two while a secret is replaced
            if (str_starts_with($one, 'v1,') && hash_equals($expected, (string) base64_decode(substr($one, 3), true))) {
                $signed = true;
            }
        }
        if (!$signed || $id === '') {
            throw new WebhookException('the message is not signed with the secret of this webhook');
        }
        if (!ctype_digit($timestamp) || abs(($now ?? time()) - (int) $timestamp) > self::TOLERANCE) {
            throw new WebhookException('the message was sent more than 5 minutes ago, or the clocks differ');
        }
        return json_decode($body, true, 512, JSON_THROW_ON_ERROR);
    }
}
