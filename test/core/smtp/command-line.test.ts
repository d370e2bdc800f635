/** Checks of a line that do not depend on its command, in their order (checklist 3, 5, 24, 26). */
import { expect, test } from 'vitest';

import {
  commandOf,
  lineRefusal,
  MAX_COMMAND_BYTES,
} from '../../../services/core/smtp/command-line.ts';

const fine = {
  line: Buffer.from('MAIL FROM:<a@b.example>'),
  endsWithCrlf: true,
  isGreeted: true,
  isSecure: false,
  requiresTls: false,
  isStopping: false,
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
  ['while the gateway stops', { isStopping: true, isGreeted: false }, 'shutting_down'],
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
