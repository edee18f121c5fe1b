<?php
// A gateway that misbehaves on demand, for test.php: it gives the answers of a script, one after the other, and keeps the
// requests. Webhooks are posted to /hook. The folder with the script is in the environment: RODATA_TEST_DIR.
declare(strict_types=1);

$dir = getenv('RODATA_TEST_DIR');
$body = file_get_contents('php://input');
file_put_contents("$dir/requests", json_encode([$_SERVER['REQUEST_METHOD'], $_SERVER['REQUEST_URI'], getallheaders(), $body]) . "\n", FILE_APPEND);
if ($_SERVER['REQUEST_URI'] === '/hook') {
    http_response_code(204);
    return;
}

$script = json_decode(file_get_contents("$dir/script"), true);
[$status, $type, $headers, $content] = array_shift($script);
file_put_contents("$dir/script", json_encode($script));
http_response_code($status);
header("Content-Type: $type");
foreach ($headers as $name => $value) {
    header("$name: $value");
}
echo $content;
