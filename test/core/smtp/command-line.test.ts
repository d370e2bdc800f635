/** Checks of a line before smtp-server reads it, in their order (checklist 3, 5, 24, 26). */
import { expect, test } from 'vitest';

import {
  commandOf,
  lineRefusal,
  MAX_COMMAND_BYTES,
} from '../../../services/core/smtp/command-line.ts';

const MAIL = 'MAIL FROM:<a@b.example>';
const fine = {
  line: Buffer.from(MAIL),
  endsWithCrlf: true,
  isGreeted: true,
  isSecure: false,
  requiresTls: false,
};

test.each<[string, Partial<typeof fine>, string | undefined]>([
  ['a command', {}, undefined],
  ['UTF-8', { line: Buffer.from('MAIL FROM:<ü@b.example> SMTPUTF8') }, undefined],
  ['a tab', { line: Buffer.from('NOOP\tx') }, undefined],
  ['a bare LF at its end', { endsWithCrlf: false }, 'bad_line'],
  ['a CR inside', { line: Buffer.from('NOOP\rRSET') }, 'bad_line'],
  ['a NUL', { line: Buffer.from('NOOP\0') }, 'bad_line'],
  ['Latin-1', { line: Buffer.from('MAIL FROM:<\xfc@b.example>', 'latin1') }, 'bad_line'],
  ['the longest', { line: Buffer.alloc(MAX_COMMAND_BYTES, 'x') }, undefined],
  ['one longer', { line: Buffer.alloc(MAX_COMMAND_BYTES + 1, 'x') }, 'line_too_long'],
  ['before the greeting', { isGreeted: false }, 'talked_too_soon'],
  ['HTTP', { line: Buffer.from('GET /x HTTP/1.1') }, 'speaks_http'],
  [
    'HTTP of a client that ends lines by LF',
    { line: Buffer.from('GET / HTTP/1.0'), endsWithCrlf: false },
    'speaks_http',
  ],
  [
    'parameters that are offered',
    { line: Buffer.from(`${MAIL} SIZE=1 body=8BITMIME SMTPUTF8`) },
    undefined,
  ],
  ['one that is not', { line: Buffer.from(`${MAIL} SIZE=1 FOO=bar`) }, 'unknown_parameter'],
  ['REQUIRETLS', { line: Buffer.from(`${MAIL} REQUIRETLS`) }, 'unknown_parameter'],
  ['AUTH=<>', { line: Buffer.from(`${MAIL} AUTH=<>`) }, 'unknown_parameter'],
  ['DELIVERBY', { line: Buffer.from('mail from:<>\tBY=120;R') }, 'unknown_parameter'],
  ['a parameter without a name', { line: Buffer.from(`${MAIL} =x`) }, 'unknown_parameter'],
  ['DSN at RCPT', { line: Buffer.from('RCPT TO:<a@b.example> NOTIFY=NEVER') }, 'unknown_parameter'],
  ['SIZE at RCPT', { line: Buffer.from('RCPT TO:<a@b.example> SIZE=1') }, 'unknown_parameter'],
  ['spaces after a path', { line: Buffer.from('RCPT TO:<a@b.example>  ') }, undefined],
  ['a quoted local part', { line: Buffer.from('RCPT TO:<"a> FOO=b"@c.example>') }, undefined],
  [
    'one with a parameter',
    { line: Buffer.from('MAIL FROM:<@r.example:"a> b"@c.example> X=1') },
    'unknown_parameter',
  ],
  ['no path', { line: Buffer.from('MAIL FROM:ann FOO=bar') }, undefined],
  ['another command', { line: Buffer.from('NOOP <a> FOO=bar') }, undefined],
  ['in the clear where TLS is asked for', { requiresTls: true }, 'needs_tls'],
  ['over TLS where it is asked for', { requiresTls: true, isSecure: true }, undefined],
])('%s', (_, facts, name) => {
  expect(lineRefusal({ ...fine, ...facts })?.name).toBe(name);
});

test.each(['EHLO a', 'HELO a', 'NOOP', 'QUIT', 'RSET', 'STARTTLS', 'starttls'])(
  'RFC 3207 §4: %s needs no TLS',
  (line) => {
    expect(lineRefusal({ ...fine, line: Buffer.from(line), requiresTls: true })).toBeUndefined();
  },
);

test.each([
  ['MAIL FROM:<>', 'MAIL'],
  ['rcpt to:<a@b>', 'RCPT'],
  ['', ''],
  ['<html>', ''],
])('the verb of %j is %j', (line, verb) => {
  expect(commandOf(Buffer.from(line))).toBe(verb);
});
