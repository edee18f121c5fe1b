<?php
declare(strict_types=1);

namespace Rodata;

/** The base of the generated methods: requests, retries, problems and streams. It uses PHP's own streams. */
abstract class Core
{
    private readonly string $url;

    /**
     * @param string $url address of the gateway, without /v1
     * @param string|null $key API key; calls without one are limited by address
     * @param int $retries maximum number of retries after a 429 or 503 with Retry-After
     * @param int $maxWait maximum Retry-After for which a call waits, in seconds; with a longer one, it fails at once
     * @param int $timeout maximum time without data from the gateway, in seconds
     */
    public function __construct(
        string $url,
        #[\SensitiveParameter] private readonly ?string $key = null,
        private readonly int $retries = 3,
        private readonly int $maxWait = 30,
        private readonly int $timeout = 60,
    ) {
        if (!preg_match('~^https?://~', $url)) {
            throw new \InvalidArgumentException("\"$url\" is not the address of a gateway; give one such as https://api.example.ro");
        }
        $this->url = preg_replace('~/v1$~', '', rtrim($url, '/'));
    }

    /** Returns a JSON answer, or null if it is empty. */
    protected function call(
        string $method, string $path, array $query = [], ?array $body = null, bool $repeatable = false, ?string $file = null, ?string $type = null,
    ): mixed {
        $content = $this->bytes($method, $path, $query, $body, $repeatable, $file, $type, 'application/json');
        return $content === '' ? null : self::decode($content);
    }

    /** Returns the body of an answer unchanged. */
    protected function bytes(
        string $method, string $path, array $query = [], ?array $body = null, bool $repeatable = false, ?string $file = null, ?string $type = null,
        string $accept = '*/*',
    ): string {
        $content = $body === null ? $file : json_encode($body ?: new \stdClass(), JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE);
        $stream = $this->send($method, $path, $query, $content, $type ?? 'application/json', $repeatable, $accept);
        try {
            return self::all($stream);
        } finally {
            fclose($stream);
        }
    }

    /**
     * Yields the lines of a JSON stream as they arrive. An incomplete last line is left out.
     *
     * @return \Generator<int, array<string, mixed>>
     */
    public function lines(string $method, string $path, array $query = [], ?array $body = null, bool $repeatable = false): \Generator
    {
        $content = $body === null ? null : json_encode($body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE);
        $stream = $this->send($method, $path, $query, $content, 'application/json', $repeatable, 'application/x-ndjson');
        try {
            while (($line = fgets($stream)) !== false) {
                if (trim($line) !== '' && str_ends_with($line, "\n")) {
                    yield self::decode($line);
                }
            }
            self::refuseTimeout($stream);
        } finally {
            fclose($stream);
        }
    }

    /** Encodes an argument of a path. */
    protected static function segment(int|string $value): string
    {
        return rawurlencode((string) $value);
    }

    /**
     * Sends a request, and repeats it as long as the gateway asks for a retry.
     *
     * @return resource the body of the answer
     */
    private function send(string $method, string $path, array $query, ?string $content, string $type, bool $repeatable, string $accept)
    {
        $headers = ["Accept: $accept", 'User-Agent: rodata-php', 'Connection: close'];
        if ($this->key !== null) {
            $headers[] = "Authorization: Bearer {$this->key}";
        }
        if ($repeatable) { // a repeated attempt is not charged twice
            $headers[] = 'Idempotency-Key: ' . bin2hex(random_bytes(16));
        }
        $http = [
            'method' => $method, 'protocol_version' => 1.1, 'timeout' => $this->timeout,
            'ignore_errors' => true, 'follow_location' => 0, // a redirect would carry the key to another host
        ];
        if ($content !== null) {
            $headers[] = "Content-Type: $type";
            $http['content'] = $content;
        }
        $context = stream_context_create(['http' => $http + ['header' => $headers]]);

        for ($attempt = 0; ; $attempt++) {
            $stream = @fopen($this->url . $path . self::search($query), 'r', false, $context);
            if ($stream === false) {
                throw new TransportException('the gateway could not be reached: ' . (error_get_last()['message'] ?? ''));
            }
            $error = self::problem($stream);
            if ($error === null) {
                return $stream;
            }
            $again = in_array($error->status, [429, 503], true) && $error->retryAfter !== null;
            if (!$again || $attempt >= $this->retries || $error->retryAfter > $this->maxWait) {
                throw $error;
            }
            sleep($error->retryAfter);
        }
    }

    /** Encodes the arguments of a query. Arguments that are null are left out. */
    private static function search(array $query): string
    {
        $given = array_filter($query, fn ($value) => $value !== null);
        $texts = array_map(fn ($value) => is_bool($value) ? ($value ? 'true' : 'false') : $value, $given);
        return $texts === [] ? '' : '?' . http_build_query($texts, '', '&', PHP_QUERY_RFC3986);
    }

    /**
     * Parses the problem of an answer; null for a success. A proxy in between may have answered in another format.
     *
     * @param resource $stream
     */
    private static function problem($stream): ?ProblemException
    {
        $lines = stream_get_meta_data($stream)['wrapper_data'];
        $status = (int) explode(' ', $lines[0])[1];
        if ($status >= 200 && $status < 300) {
            return null;
        }

        $after = self::header($lines, 'retry-after');
        $retryAfter = ctype_digit($after) ? (int) $after : null;
        $content = self::all($stream);
        fclose($stream);
        if (str_starts_with(self::header($lines, 'content-type'), 'application/problem+json')) {
            return new ProblemException($status, self::decode($content), $retryAfter);
        }
        $detail = 'the answer is not from the gateway: ' . substr($content, 0, 200);
        return new ProblemException($status, ['type' => 'about:blank', 'title' => $lines[0], 'status' => $status, 'detail' => $detail, 'code' => 'internal'], $retryAfter);
    }

    /** @param list<string> $lines */
    private static function header(array $lines, string $name): string
    {
        foreach ($lines as $line) {
            if (stripos($line, "$name:") === 0) {
                return trim(substr($line, strlen($name) + 1));
            }
        }
        return '';
    }

    /** @param resource $stream */
    private static function all($stream): string
    {
        $content = (string) stream_get_contents($stream);
        self::refuseTimeout($stream);
        return $content;
    }

    /** @param resource $stream */
    private static function refuseTimeout($stream): void
    {
        if (stream_get_meta_data($stream)['timed_out']) {
            throw new TransportException('the gateway was silent for too long');
        }
    }

    private static function decode(string $text): array
    {
        return json_decode($text, true, 512, JSON_THROW_ON_ERROR);
    }
}
