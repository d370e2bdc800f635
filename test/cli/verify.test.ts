/** `inlet verify` explains why a signature does not match. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { newPrivateKey, publicKeyOf } from '../../services/core/webhook/key-pair.ts';
import {
  newSecret,
  questionKeys,
  signatureHeaders,
  signingKeys,
} from '../../services/core/webhook/signature.ts';
import { runCommand } from '../support/inlet-command.ts';
import { testDir } from '../support/servers.ts';

const SECRET = newSecret(Buffer.alloc(32, 7));
const OTHER = newSecret(Buffer.alloc(32, 8));
const BODY = Buffer.from('{"event_id":"evt_1","text":"é 1.0"}');
const QUESTION = Buffer.from('{"event_id":"ask_1"}');
const SPACED = Buffer.from('{ "event_id": "evt_1", "text": "é 1.0" }');

const headers = (scheme: 'svc' | 'standard', now = new Date(), body = BODY): string[] =>
  Object.entries(
    signatureHeaders({
      eventId: 'evt_1',
      body,
      keys: [(body === QUESTION ? questionKeys : signingKeys)(SECRET)],
      now,
    }),
  ).flatMap(([name, value]) =>
    (scheme === 'svc') === (name === 'svc-signature') ? ['--header', `${name}: ${value}`] : [],
  );
const verify = (input: Buffer, args: string[], secret = SECRET) =>
  runCommand(['verify', ...args], { input, env: { WEBHOOK_SECRET: secret } });

const HOUR_AGO = new Date(Date.now() - 3_600_000);

test.each([
  ['a valid Svc-Signature', BODY, headers('svc'), SECRET, 0, /valid/],
  ['valid Standard Webhooks headers', BODY, headers('standard'), SECRET, 0, /valid/],
  ['a question to a hook', QUESTION, headers('svc', new Date(), QUESTION), SECRET, 1, /no webhook/],
  [
    'a question to a hook, with --hook',
    QUESTION,
    ['--hook', ...headers('standard', new Date(), QUESTION)],
    SECRET,
    0,
    /valid/,
  ],
  ['a webhook, with --hook', BODY, ['--hook', ...headers('svc')], SECRET, 1, /no question/],
  ['another secret', BODY, headers('svc'), OTHER, 1, /another secret or another body/],
  ['another body', Buffer.from('{}'), headers('standard'), SECRET, 1, /another secret or another/],
  ['a body that was encoded again', SPACED, headers('svc'), SECRET, 1, /parsed and encoded again/],
  [
    'a line end at the end',
    Buffer.concat([BODY, Buffer.from('\n')]),
    headers('standard'),
    SECRET,
    1,
    /extra line end/,
  ],
  [
    'a body that was read as Latin-1',
    Buffer.from(BODY.toString('latin1')),
    headers('svc'),
    SECRET,
    1,
    /Latin-1/,
  ],
  ['an old request', BODY, headers('svc', HOUR_AGO), SECRET, 1, /36\d\d s old, more than 300 s/],
  ['no signature', BODY, ['--header', 'Content-Type: text/plain'], SECRET, 1, /neither/],
  ['no timestamp', BODY, ['--header', 'Svc-Signature: v1,s=00'], SECRET, 1, /no timestamp/],
  ['a secret of another kind', BODY, headers('svc'), 'hunter2', 2, /begin with whsec_/],
  ['no colon', BODY, ['--header', 'Svc-Signature v1'], SECRET, 2, /"Name: value"/],
])('%s', async (_, body, args, secret, code, words) => {
  const result = await verify(body, args, secret);
  expect([result.code, result.out + result.err]).toEqual([code, expect.stringMatching(words)]);
});

const lines = (of: object) =>
  Object.entries(of).flatMap(([name, value]) => ['--header', `${name}: ${value}`]);

test('D49: the public key of a receiver verifies, another one does not', async () => {
  const key = newPrivateKey(Buffer.alloc(32, 7));
  const signed = signatureHeaders({
    eventId: 'evt_1',
    body: BODY,
    keys: [signingKeys(key)],
    now: new Date(),
  });
  const question = signatureHeaders({
    eventId: 'ask_1',
    body: BODY,
    keys: [questionKeys(key)],
    now: new Date(),
  });
  const [right, other] = [7, 8].map((byte) => publicKeyOf(newPrivateKey(Buffer.alloc(32, byte))));
  for (const [args, body, code, words] of [
    [['--public-key', right ?? ''], BODY, 0, /valid/],
    [['--public-key', other ?? ''], BODY, 1, /another key or another body/],
    [['--public-key', right ?? ''], SPACED, 1, /parsed and encoded again/],
    [['--public-key', 'whpk_AAAA'], BODY, 2, /32 bytes/],
    [[], BODY, 1, /needs --public-key/],
  ] as const) {
    const result = await verify(body, [...lines(signed), ...args]);
    expect([result.code, result.out + result.err]).toEqual([code, expect.stringMatching(words)]);
  }
  for (const [args, code] of [
    [['--hook'], 0],
    [[], 1],
  ] as const) {
    const asked = [...lines(question), '--public-key', right ?? '', ...args];
    expect((await verify(BODY, asked)).code).toBe(code);
  }
});

const verifyWith = (args: string[], WEBHOOK_SECRET?: string) =>
  runCommand(['verify', ...headers('svc'), ...args], { input: BODY, env: { WEBHOOK_SECRET } });

test('the secret comes from --secret-file, else --secret, else WEBHOOK_SECRET', async () => {
  await using dir = await testDir();
  const file = join(dir.path, 'secret');
  await writeFile(file, `${SECRET}\n`);
  for (const [args, variable, code] of [
    [['--secret-file', file], OTHER, 0],
    [['--secret-file', file, '--secret', OTHER], OTHER, 0],
    [['--secret', SECRET], OTHER, 0],
    [[], SECRET, 0],
    [[], OTHER, 1],
  ] as const)
    expect([args, (await verifyWith([...args], variable)).code]).toEqual([args, code]);
  const { code, err } = await verifyWith([]);
  expect([code, err]).toEqual([2, expect.stringContaining('set WEBHOOK_SECRET')]);
});
