<?php // PHP behind any web server, or: php -S 0.0.0.0:3000 receiver.php
// php.ini: post_max_size = 64M and memory_limit = 512M, else large emails are refused.

function work(array $email): void
{
    error_log($email['event_id'] . ' ' . $email['headers']['subject']);
}

// Svc-Signature is v1,t=<unix seconds>,s=<hex>, with a second s= while the secret is rotated.
function isFromInlet(string $body): bool
{
    $header = $_SERVER['HTTP_SVC_SIGNATURE'] ?? '';
    if (!preg_match('/^v1,t=(\d{1,12}),/', $header, $found) || abs(time() - (int) $found[1]) > 300) return false;
    $expected = 's=' . hash_hmac('sha256', "$found[1].$body", getenv('WEBHOOK_SECRET'));
    foreach (explode(',', $header) as $given)
        if (hash_equals($expected, $given)) return true;
    return false;
}

function respond(): int
{
    global $email;
    if ($_SERVER['REQUEST_METHOD'] !== 'POST') return 405;
    $body = file_get_contents('php://input'); // the raw body: its bytes are signed
    if (strlen($body) !== (int) ($_SERVER['CONTENT_LENGTH'] ?? 0)) return 413;
    if (!isFromInlet($body)) return 401;
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
