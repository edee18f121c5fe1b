<?php
// What the client promises: against a gateway that misbehaves on demand, and, where RODATA_URL and RODATA_KEY are set
// (.ci/clients), against a sandbox. It needs nothing but PHP:
//
//   php test/test.php
declare(strict_types=1);

use Rodata\Batch;
use Rodata\Client;
use Rodata\CutException;
use Rodata\ProblemException;
use Rodata\TransportException;
use Rodata\Webhook;
use Rodata\WebhookException;

spl_autoload_register(fn (string $class) => require __DIR__ . '/../src/' . substr($class, strlen('Rodata\\')) . '.php');

/** The gateway of gateway.php, with the script of one test. */
final class Gateway
{
    public readonly string $url;
    private readonly string $dir;
    /** @var resource */
    private $process;

    public function __construct()
    {
        $this->dir = sys_get_temp_dir() . '/rodata-' . bin2hex(random_bytes(8));
        mkdir($this->dir);
        $free = stream_socket_server('tcp://127.0.0.1:0');
        $address = stream_socket_get_name($free, false);
        fclose($free);
        $this->url = "http://$address";
        $this->process = proc_open(
            [PHP_BINARY, __DIR__ . '/gateway.php', $address],
            [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['file', "$this->dir/log", 'w']],
            $pipes, null, ['RODATA_TEST_DIR' => $this->dir] + getenv(),
        );
        for ($end = time() + 60; !@stream_socket_client("tcp://$address"); usleep(10_000)) {
            if (time() > $end) {
                throw new RuntimeException('the gateway does not start: ' . file_get_contents("$this->dir/log"));
            }
        }
    }

    public function client(array $script, int $retries = 3, int $maxWait = 30): Client
    {
        file_put_contents("$this->dir/script", json_encode($script));
        file_put_contents("$this->dir/requests", '');
        return new Client($this->url, 'rodata_live_test', $retries, $maxWait);
    }

    /** @return list<array{string, string, array<string, string>, string}> method, address, headers and body */
    public function requests(): array
    {
        return array_map(fn ($line) => json_decode($line, true), file("$this->dir/requests"));
    }

    public function stop(): void
    {
        proc_terminate($this->process);
        array_map('unlink', glob("$this->dir/*"));
        rmdir($this->dir);
    }
}

function same(mixed $want, mixed $got, string $what): void
{
    if ($want !== $got) {
        throw new RuntimeException("$what is " . var_export($got, true) . ', not ' . var_export($want, true));
    }
}

/** @template T of Throwable @param class-string<T> $class @return T */
function refused(string $class, callable $act): Throwable
{
    try {
        $act();
    } catch (Throwable $thrown) {
        if ($thrown instanceof $class) {
            return $thrown;
        }
        throw $thrown;
    }
    throw new RuntimeException("there is no $class");
}

function answer(array $value): array
{
    return [200, 'application/json', [], json_encode($value)];
}

function problem(int $status, string $code, array $headers = []): array
{
    $value = ['type' => "https://rodata.example/problems/$code", 'title' => $code, 'status' => $status, 'detail' => 'why', 'code' => $code];
    return [$status, 'application/problem+json', $headers, json_encode($value)];
}

function lines(string ...$lines): array
{
    return [200, 'application/x-ndjson', [], implode("\n", $lines)];
}

$gateway = new Gateway();
$later = fn (int $status, int $seconds) => problem($status, 'unavailable', ['Retry-After' => $seconds]);
$all = fn (Generator $batch) => iterator_to_array($batch, false);

$tests = [
    'arguments become a request' => function () use ($gateway) {
        $gateway->client([answer([])])->getCompany('99/1');
        [$method, $address, $headers] = $gateway->requests()[0];
        same(['GET', '/v1/companies/99%2F1', 'Bearer rodata_live_test'], [$method, $address, $headers['Authorization']], 'the request');
        $gateway->client([answer([])])->searchCompanies(['q' => 'a & b', 'vatPayer' => true, 'county' => null]);
        same('/v1/companies?q=a%20%26%20b&vatPayer=true', $gateway->requests()[0][1], 'the address');
        $gateway->client([answer([])])->createWatchlist(['name' => 'Furnizori']);
        same('{"name":"Furnizori"}', $gateway->requests()[0][3], 'the body');
        $gateway->client([answer([])])->createJob("cui\n19\n", 'text/csv', ['column' => 'cui']);
        [, $address, $headers, $body] = $gateway->requests()[0];
        same(['/v1/jobs?column=cui', 'text/csv', "cui\n19\n"], [$address, $headers['Content-Type'], $body], 'the upload');
    },
    'it tries again as Retry-After says' => function () use ($gateway, $later) {
        foreach ([429, 503] as $status) {
            same('ok', $gateway->client([$later($status, 0), $later($status, 0), answer(['status' => 'ok'])])->getHealth()['status'], 'the answer');
            same(3, count($gateway->requests()), 'the number of requests');
        }
    },
    'tries are bounded' => function () use ($gateway, $later) {
        refused(ProblemException::class, fn () => $gateway->client([$later(503, 0), $later(503, 0), answer([])], retries: 1)->getHealth());
        same(2, count($gateway->requests()), 'the number of requests');
    },
    'a wait that is too long is an error at once' => function () use ($gateway, $later) {
        $error = refused(ProblemException::class, fn () => $gateway->client([$later(429, 6)], maxWait: 5)->getHealth());
        same([429, 6, 1], [$error->status, $error->retryAfter, count($gateway->requests())], 'the error');
    },
    'other problems are not tried again' => function () use ($gateway) {
        foreach ([[503, 'unavailable'], [404, 'not-found']] as [$status, $code]) {
            $error = refused(ProblemException::class, fn () => $gateway->client([problem($status, $code)])->getHealth());
            same([$code, null], [$error->problem['code'], $error->retryAfter], 'the problem');
        }
    },
    'an error page of a proxy is a problem too' => function () use ($gateway) {
        $error = refused(ProblemException::class, fn () => $gateway->client([[502, 'text/html', [], '<h1>Bad Gateway</h1>']])->getHealth());
        same(true, str_contains($error->getMessage(), 'Bad Gateway'), 'the message');
    },
    'an answer of another server is a problem' => function () use ($gateway, $all) {
        foreach ([
            [200, 'text/html', [], "<h1>Log in</h1>\n"],
            [200, 'application/json', [], "<h1>Log in</h1>\n"],
            [200, 'application/json', [], "\"<h1>\"\n"],
            [400, 'application/problem+json', [], '{"title":"<h1>"}'],
            [400, 'application/problem+json', [], '<h1>'],
        ] as $answer) {
            foreach ([
                fn () => $gateway->client([$answer])->getHealth(),
                fn () => $all(Batch::companies($gateway->client([$answer]), ['taxIds' => [19]])),
            ] as $act) {
                $error = refused(ProblemException::class, $act);
                same([$answer[0], 'internal'], [$error->status, $error->problem['code']], 'the error');
                same(1, preg_match('~not from the gateway: .*<h1>~', $error->getMessage()), 'the message');
            }
        }
        refused(ProblemException::class, fn () => $gateway->client([[200, 'text/html', [], '<h1>']])->getJobResult('job_a'));
    },
    'Retry-After can be a date' => function () use ($gateway) {
        $at = fn (int $seconds) => problem(503, 'unavailable', ['Retry-After' => gmdate('D, d M Y H:i:s \G\M\T', time() + $seconds)]);
        same('ok', $gateway->client([$at(-5), answer(['status' => 'ok'])])->getHealth()['status'], 'the answer');
        $wait = refused(ProblemException::class, fn () => $gateway->client([$at(100)])->getHealth())->retryAfter;
        same(true, $wait > 90 && $wait <= 100, 'the wait');
        $soon = problem(503, 'unavailable', ['Retry-After' => 'tomorrow']);
        same(null, refused(ProblemException::class, fn () => $gateway->client([$soon])->getHealth())->retryAfter, 'the wait');
    },
    'a key does not travel unencrypted' => function () {
        foreach (['http://api.example.ro', 'http://127.0.0.1.example.ro', 'http://localhost.example.ro/v1', 'http://a.localhost', 'http://10.0.0.1', 'http://rodata:8080'] as $url) {
            $error = refused(InvalidArgumentException::class, fn () => new Client($url, 'rodata_live_test'));
            same(true, str_contains($error->getMessage(), 'https://, or allowHttp'), 'the message');
            new Client($url, 'rodata_live_test', allowHttp: true);
            new Client($url);
            new Client($url, '');
        }
        foreach (['https://api.example.ro', 'http://localhost:1', 'http://[::1]:1', 'http://127.0.0.9'] as $url) {
            new Client($url, 'rodata_live_test');
        }
    },
    'an empty key is no key' => function () use ($gateway) {
        $gateway->client([answer([])]);
        (new Client($gateway->url, ''))->getHealth();
        same(false, isset($gateway->requests()[0][2]['Authorization']), 'the header');
    },
    'a list with a gap is a list' => function () use ($gateway) {
        $gateway->client([answer([])])->createWatchlist(['name' => 'a', 'taxIds' => [1 => 19, 3 => ['b' => [2 => 27]]]]);
        same('{"name":"a","taxIds":[19,{"b":[27]}]}', $gateway->requests()[0][3], 'the body');
        $gateway->client([answer([])])->searchCompanies(['state' => ['insolvent', 'bankrupt']]);
        same('/v1/companies?state=insolvent%2Cbankrupt', $gateway->requests()[0][1], 'the address');
    },
    'redirects are not followed' => function () use ($gateway) {
        $error = refused(ProblemException::class, fn () => $gateway->client([[302, 'text/html', ['Location' => 'https://elsewhere.example/'], '']])->getHealth());
        same(302, $error->status, 'the status');
    },
    'a batch gives its items and returns its summary' => function () use ($gateway, $later, $all) {
        $batch = Batch::companies($gateway->client([$later(503, 0), lines('{"index":1}', '{"index":0}', '{"summary":{"count":2}}', '')]), ['taxIds' => [19, 27]]);
        same([['index' => 1], ['index' => 0]], $all($batch), 'the items');
        same(['count' => 2], $batch->getReturn(), 'the summary');
        [$first, $second] = array_map(fn ($request) => $request[2]['Idempotency-Key'], $gateway->requests());
        same($first, $second, 'the key of the second try');
    },
    'a batch without its summary is an error' => function () use ($gateway, $all) {
        foreach ([lines('{"index":0}', ''), lines('{"index":0}', '{"ind')] as $cut) {
            refused(CutException::class, fn () => $all(Batch::companies($gateway->client([$cut]), ['taxIds' => [19]])));
        }
    },
    'a file that was cut off is an error' => function () use ($gateway) {
        $file = fn (string $headers, string $body) => ['raw', "HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\n{$headers}\r\n\r\n$body"];
        $chunked = 'Transfer-Encoding: chunked';
        foreach ([
            'a length' => $file('Content-Length: 10', "cui\n19\n27\n"),
            'a length and more' => $file('Content-Length: 10', "cui\n19\n27\n28\n"),
            'chunks' => $file($chunked, "4\r\ncui\n\r\n6;x=y\r\n19\n27\n\r\n0\r\n\r\n"),
            'no length' => $file('X: y', "cui\n19\n27\n"),
        ] as $name => $whole) {
            same("cui\n19\n27\n", $gateway->client([$whole])->getJobResult('job_a', []), $name);
        }
        foreach ([
            $file('Content-Length: 10', "cui\n19\n"),
            $file('Content-Length: 10', ''),
            $file($chunked, "4\r\ncui\n\r\n6\r\n19\n"),
            $file($chunked, "4\r\ncui\n\r\n"),
            $file($chunked, "4\r\ncui\n"),
            $file($chunked, ''),
        ] as $cut) {
            refused(TransportException::class, fn () => $gateway->client([$cut])->getJobResult('job_a', []));
        }
        $batch = Batch::companies($gateway->client([$file($chunked, "c\r\n{\"index\":0}\n\r\n1a\r\n{\"summary\":{\"count\":123}}\n\r\n0\r\n\r\n")]), ['taxIds' => [19]]);
        same([['index' => 0]], iterator_to_array($batch, false), 'the items of a batch in chunks');
    },
    'a gateway that cannot be reached is named' => function () use ($all) {
        $client = new Client('http://127.0.0.1:1/v1');
        foreach ([fn () => $client->getHealth(), fn () => $all(Batch::companies($client, ['taxIds' => [19]]))] as $act) {
            $message = refused(TransportException::class, $act)->getMessage();
            same('no gateway answers at http://127.0.0.1:1: Connection refused; check the address, and that the gateway is running', $message, 'the message');
        }
    },
    'an address has its form' => fn () => refused(InvalidArgumentException::class, fn () => new Client('api.example.ro')),
    'webhooks' => function () {
        // The example of the Standard Webhooks libraries, and what must not be believed.
        $secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
        $sentAt = 1614265330;
        $body = '{"test": 2432232314}';
        $signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
        $good = ['Webhook-Id' => 'msg_p5jXN8AQM9LWM0D4loKWxJek', 'webhook-timestamp' => (string) $sentAt, 'webhook-signature' => $signature];
        $webhook = new Webhook($secret);
        same(['test' => 2432232314], $webhook->verify($body, $good, $sentAt), 'the event');
        same(['test' => 2432232314], $webhook->verify($body, ['webhook-signature' => "v1,AAAA $signature"] + $good, $sentAt + 300), 'the event');
        $lists = array_map(fn (string $value) => [$value], $good); // as PSR-7, Symfony and Laravel have them
        same(['test' => 2432232314], $webhook->verify($body, $lists, $sentAt), 'the event');
        foreach ([
            'a header without a value' => [$body, ['webhook-signature' => []] + $good, $sentAt],
            'another body' => ["$body ", $good, $sentAt],
            'another id' => [$body, ['Webhook-Id' => 'msg_other'] + $good, $sentAt],
            'another time' => [$body, ['webhook-timestamp' => (string) ($sentAt + 1)] + $good, $sentAt],
            'no signature' => [$body, ['webhook-signature' => ''] + $good, $sentAt],
            'a signature of another kind' => [$body, ['webhook-signature' => "v2$signature"] + $good, $sentAt],
            'no headers' => [$body, [], $sentAt],
            'an old message' => [$body, $good, $sentAt + 301],
            'a message of the future' => [$body, $good, $sentAt - 301],
        ] as $message) {
            refused(WebhookException::class, fn () => $webhook->verify(...$message));
        }
        refused(InvalidArgumentException::class, fn () => new Webhook('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'));
    },
];

if (getenv('RODATA_URL')) {
    $sandbox = new Client(getenv('RODATA_URL'), getenv('RODATA_KEY'));
    $tests += [
        'sandbox: a company' => fn () => same(true, $sandbox->getCompany(9900000010)['vatPayer'], 'vatPayer'),
        'sandbox: a problem' => function () use ($sandbox) {
            $error = refused(ProblemException::class, fn () => $sandbox->getCompany('9900000011'));
            same([400, 'check_digit'], [$error->status, $error->problem['errors'][0]['code']], 'the problem');
        },
        'sandbox: a batch' => function () use ($sandbox, $all) {
            $batch = Batch::companies($sandbox, ['items' => [['taxId' => 'RO9900000010', 'reference' => 'S-1'], ['taxId' => 'x']]], 'input');
            same([200, 400], array_column($all($batch), 'status'), 'the statuses');
            same(1, $batch->getReturn()['found'], 'the number of companies');
        },
        'sandbox: a webhook' => function () use ($sandbox, $gateway) {
            $gateway->client([]);
            $made = $sandbox->createWebhook(['url' => "$gateway->url/hook"]);
            $event = $sandbox->testWebhook($made['id'])['event'];
            $sandbox->deleteWebhook($made['id']);
            [, , $headers, $body] = $gateway->requests()[0];
            $webhook = new Webhook($made['secret']);
            same($event, $webhook->verify($body, $headers)['id'], 'the event');
            refused(WebhookException::class, fn () => $webhook->verify("$body ", $headers));
        },
    ];
}

$failed = 0;
foreach ($tests as $name => $test) {
    try {
        $test();
        echo "ok   $name\n";
    } catch (Throwable $thrown) {
        $failed++;
        echo "FAIL $name: {$thrown->getMessage()} ({$thrown->getFile()}:{$thrown->getLine()})\n";
    }
}
$gateway->stop();
exit($failed > 0 ? 1 : 0);
