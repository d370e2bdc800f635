<?php // PHP behind any web server, or: php -S 0.0.0.0:3000 receiver.php
// php.ini: post_max_size = 64M and memory_limit = 512M, else large emails are refused.

function work(array $email): void
{
    error_log($email['event_id'] . ' ' . $email['headers']['subject']);
}

function hasValidSignature(string $body): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $time = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (str_starts_with($id, 'ask_')) return false; // a question to a hook is no webhook
    if (!preg_match('/^\d{1,12}$/D', $time) || abs(time() - (int) $time) > 300) return false;
    $key = base64_decode(substr(getenv('WEBHOOK_SECRET'), strlen('whsec_')));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$time.$body", $key, true));
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $signature)
        if (hash_equals($expected, $signature)) return true;
    return false;
}

function respond(): int
{
    global $email;
    if ($_SERVER['REQUEST_METHOD'] !== 'POST') return 405;
    $body = file_get_contents('php://input'); // the raw body: its bytes are signed
    if (strlen($body) !== (int) ($_SERVER['CONTENT_LENGTH'] ?? 0)) return 413;
    if (!hasValidSignature($body)) return 401;
    $received = json_decode($body, true);
    if ($received['is_test'] ?? false) return 204; // a sample, not an email
    // An empty file for each event_id. Use your database: a unique index on event_id.
    if (@fopen(sys_get_temp_dir() . "/{$received['event_id']}", 'x')) $email = $received;
    return 204;
}

http_response_code(respond());
ignore_user_abort(true);
if (function_exists('fastcgi_finish_request')) fastcgi_finish_request(); // PHP-FPM
else flush();
if (isset($email)) work($email); // after the response
