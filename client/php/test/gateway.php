<?php
// A gateway that misbehaves on demand, for test.php: it gives the answers of a script, one after the other, and keeps the
// requests. An answer is a status, a media type, headers and a body; or "raw" and all its bytes, for one that is cut off.
// Webhooks are posted to /hook. The folder with the script is in the environment: RODATA_TEST_DIR.
//
//   php gateway.php 127.0.0.1:PORT
declare(strict_types=1);

$dir = getenv('RODATA_TEST_DIR');
$server = stream_socket_server("tcp://$argv[1]");
for (;; fclose($connection)) {
    $connection = stream_socket_accept($server, -1);
    $line = fgets($connection);
    if ($line === false) {
        continue;
    }

    [$method, $address] = explode(' ', $line);
    $headers = [];
    while (($line = rtrim((string) fgets($connection))) !== '') {
        [$name, $value] = explode(':', $line, 2);
        $headers[ucwords(strtolower($name), '-')] = trim($value);
    }
    $body = (string) stream_get_contents($connection, (int) ($headers['Content-Length'] ?? 0));
    file_put_contents("$dir/requests", json_encode([$method, $address, $headers, $body]) . "\n", FILE_APPEND);
    if ($address === '/hook') {
        fwrite($connection, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
        continue;
    }

    $script = json_decode(file_get_contents("$dir/script"), true);
    $answer = array_shift($script);
    file_put_contents("$dir/script", json_encode($script));
    if ($answer[0] === 'raw') {
        fwrite($connection, $answer[1]);
        continue;
    }

    [$status, $type, $headers, $content] = $answer;
    fwrite($connection, "HTTP/1.1 $status Scripted\r\nContent-Type: $type\r\n");
    foreach ($headers as $name => $value) {
        fwrite($connection, "$name: $value\r\n");
    }
    fwrite($connection, 'Content-Length: ' . strlen($content) . "\r\nConnection: close\r\n\r\n$content");
}
