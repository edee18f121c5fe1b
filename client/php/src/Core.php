<?php
declare(strict_types=1);

namespace Rodata;

/** The base of the generated methods: requests, retries, problems and streams. It uses PHP's own streams. */
abstract class Core
{
    private readonly string $url;
    private readonly ?string $key;

    /**
     * @param string $url address of the gateway, without /v1
     * @param string|null $key API key; calls without one are limited by address
     * @param int $retries maximum number of retries after a 429 or 503 with Retry-After
     * @param int $maxWait maximum Retry-After for which a call waits, in seconds; with a longer one, it fails at once
     * @param int $timeout maximum time without data from the gateway, in seconds
     * @param bool $allowHttp sends the key over http:// to other machines as well, for a gateway within a private network, such as http://rodata:8080
     */
    public function __construct(
        string $url,
        #[\SensitiveParameter] ?string $key = null,
        private readonly int $retries = 3,
        private readonly int $maxWait = 30,
        private readonly int $timeout = 60,
        bool $allowHttp = false,
    ) {
        if (!preg_match('~^https?://~', $url)) {
            throw new \InvalidArgumentException("\"$url\" is not the address of a gateway; give one such as https://api.example.ro");
        }
        $this->key = $key === '' ? null : $key; // an empty key, such as that of an unset variable, is none
        if ($this->key !== null && !$allowHttp && !self::isPrivate($url)) {
            throw new \InvalidArgumentException("the key would travel unencrypted to \"$url\": use https://, or allowHttp within a private network");
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
        $content = $body === null ? $file : self::encode($body);
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
        $content = $body === null ? null : self::encode($body);
        $stream = $this->send($method, $path, $query, $content, 'application/json', $repeatable, 'application/x-ndjson');
        try {
            if (self::isChunked($stream)) {
                stream_filter_append($stream, 'dechunk', STREAM_FILTER_READ);
            }
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
            'auto_decode' => false, // PHP's decoding of chunks takes an answer that was cut off for a whole one
        ];
        if ($content !== null) {
            $headers[] = "Content-Type: $type";
            $http['content'] = $content;
        }
        $context = stream_context_create(['http' => $http + ['header' => $headers]]);

        for ($attempt = 0; ; $attempt++) {
            $stream = @fopen($this->url . $path . self::search($query), 'r', false, $context);
            if ($stream === false) {
                $reason = preg_replace('~^.*Failed to open stream: ~', '', error_get_last()['message'] ?? '');
                throw new TransportException("no gateway answers at $this->url: $reason; check the address, and that the gateway is running");
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
        $text = fn ($value) => is_bool($value) ? ($value ? 'true' : 'false') : $value;
        $texts = array_map(fn ($value) => is_array($value) ? implode(',', array_map($text, $value)) : $text($value), $given);
        return $texts === [] ? '' : '?' . http_build_query($texts, '', '&', PHP_QUERY_RFC3986);
    }

    /**
     * Parses the problem of an answer; null for a success. A proxy in between may have answered in another format.
     *
     * @param resource $stream
     */
    private static function problem($stream): ?ProblemException
    {
        $lines = self::headers($stream);
        $status = (int) explode(' ', $lines[0])[1];
        $type = strtolower(self::header($lines, 'content-type'));
        if ($status >= 200 && $status < 300 && !str_starts_with($type, 'text/html')) {
            return null;
        }

        $retryAfter = self::seconds(self::header($lines, 'retry-after'));
        $content = self::all($stream);
        fclose($stream);
        $problem = str_starts_with($type, 'application/problem+json') ? json_decode($content, true) : null;
        if (isset($problem['code'], $problem['detail'])) {
            return new ProblemException($status, $problem, $retryAfter);
        }
        return self::foreign($status, $lines[0], $content, $retryAfter);
    }

    /** The error for an answer of another server. */
    private static function foreign(int $status, string $title, string $content, ?int $retryAfter = null): ProblemException
    {
        $detail = 'the answer is not from the gateway: ' . substr($content, 0, 200);
        return new ProblemException($status, ['type' => 'about:blank', 'title' => $title, 'status' => $status, 'detail' => $detail, 'code' => 'internal'], $retryAfter);
    }

    /** Parses Retry-After: seconds, or a date (RFC 9110, section 10.2.3). */
    private static function seconds(string $text): ?int
    {
        if (ctype_digit($text)) {
            return (int) $text;
        }
        $at = \DateTimeImmutable::createFromFormat('D, d M Y H:i:s \G\M\T', $text, new \DateTimeZone('UTC'));
        return $at === false ? null : max(0, $at->getTimestamp() - time());
    }

    /** Whether nobody on the way can read what is sent to an address: it is encrypted, or stays on this machine. */
    private static function isPrivate(string $url): bool
    {
        $host = strtolower((string) parse_url($url, PHP_URL_HOST));
        return str_starts_with($url, 'https:') || preg_match('~^(127\.\d+\.\d+\.\d+|\[::1\]|localhost)$~D', $host) === 1;
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

    /**
     * Reads a whole body. It refuses one that was cut off: PHP does not.
     *
     * @param resource $stream
     */
    private static function all($stream): string
    {
        $length = self::header(self::headers($stream), 'content-length');
        [$content, $whole] = match (true) {
            self::isChunked($stream) => self::chunks($stream),
            $length === '' => [(string) stream_get_contents($stream), true],
            default => [$text = (string) stream_get_contents($stream, (int) $length), strlen($text) === (int) $length],
        };
        self::refuseTimeout($stream);
        return $whole ? $content : throw new TransportException('the answer was cut off: the connection ended before it did');
    }

    /**
     * Reads a body in chunks (RFC 9112, section 7.1).
     *
     * @param resource $stream
     * @return array{string, bool} the content, and whether its last chunk arrived
     */
    private static function chunks($stream): array
    {
        $content = '';
        while (preg_match('~^([0-9a-f]+)[;\s]~i', (string) fgets($stream), $size)) {
            if (hexdec($size[1]) === 0) {
                return [$content, true];
            }
            $chunk = (string) stream_get_contents($stream, hexdec($size[1]));
            $content .= $chunk;
            if (strlen($chunk) < hexdec($size[1]) || fgets($stream) !== "\r\n") {
                break;
            }
        }
        return [$content, false];
    }

    /** @param resource $stream */
    private static function isChunked($stream): bool
    {
        return stripos(self::header(self::headers($stream), 'transfer-encoding'), 'chunked') !== false;
    }

    /**
     * @param resource $stream
     * @return list<string> the status line and the headers
     */
    private static function headers($stream): array
    {
        return stream_get_meta_data($stream)['wrapper_data'];
    }

    /** @param resource $stream */
    private static function refuseTimeout($stream): void
    {
        if (stream_get_meta_data($stream)['timed_out']) {
            throw new TransportException('the gateway was silent for too long');
        }
    }

    private static function encode(array $body): string
    {
        return json_encode(self::lists($body) ?: new \stdClass(), JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE);
    }

    /** Renumbers lists: one with a gap, such as array_filter leaves, would become a JSON object. */
    private static function lists(mixed $value): mixed
    {
        if (!is_array($value)) {
            return $value;
        }
        $items = array_map(self::lists(...), $value);
        return array_filter(array_keys($items), is_string(...)) === [] ? array_values($items) : $items;
    }

    /** Parses the JSON of a successful answer. */
    private static function decode(string $text): array
    {
        $value = json_decode($text, true);
        return is_array($value) ? $value : throw self::foreign(200, 'OK', $text);
    }
}
