/** Packages that others publish read and verify the webhooks of further receivers. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

import { codeBlocks, readPage } from '../docs/pages.ts';
import { formatHeaders } from '../../services/core/webhook/cloud-event.ts';
import { EXAMPLE_BODY, EXAMPLE_HEADERS } from '../../services/core/webhook/example.ts';
import { jwksOf } from '../../services/core/webhook/jwks.ts';
import { newPrivateKey, publicKeyOf } from '../../services/core/webhook/key-pair.ts';
import { signatureHeaders, signingKeys } from '../../services/core/webhook/signature.ts';
import {
  CLOUD_EVENTS,
  installCloudEventsForPython,
  installCryptographyForPython,
  installFromNpm,
  PUBLIC_KEYS,
} from './tools.ts';
import { atMost } from '../support/slowdown.ts';

const run = promisify(execFile);
const TIMEOUT_MS = 300_000;

/** What a program prints about webhooks, each a line of JSON. */
async function printed(command: string, args: string[], webhooks: object[]): Promise<unknown[]> {
  const running = run(command, args);
  running.child.stdin?.end(webhooks.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const { stdout } = await running;
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

const eventIn = (address: string) => ({
  headers: {
    'content-type': 'application/json',
    ...formatHeaders({
      format: 'cloudevents',
      eventId: EXAMPLE_HEADERS['webhook-id'],
      address,
      receivedAt: new Date('2026-11-21T08:00:01Z'),
    }),
    ...EXAMPLE_HEADERS,
  },
  body: EXAMPLE_BODY,
});
const EVENT = {
  specversion: '1.0',
  id: EXAMPLE_HEADERS['webhook-id'],
  type: 'email.inlet.received.v1',
  source: 'mailto:orders@in.example.com',
  subject: 'orders@in.example.com',
  time: Date.parse('2026-11-21T08:00:01Z'),
  datacontenttype: 'application/json',
  data: JSON.parse(EXAMPLE_BODY) as object,
};

test('D48: the CloudEvents SDK for JavaScript reads the event', async ({ skip }) => {
  const folder = (await installFromNpm('cloudevents', CLOUD_EVENTS)) ?? skip();
  const program = join(folder, 'read.mjs');
  await writeFile(
    program,
    `import { createInterface } from 'node:readline';
     import { HTTP } from 'cloudevents';
     for await (const line of createInterface({ input: process.stdin })) {
       const event = HTTP.toEvent(JSON.parse(line));
       event.validate();
       console.log(JSON.stringify({ ...event.toJSON(), time: Date.parse(event.time) }));
     }`,
  );
  const events = await printed(process.execPath, [program], [eventIn('orders@in.example.com')]);
  expect(events).toEqual([EVENT]);
});

test(
  'D48: so does the one for Python, which also decodes addresses',
  {
    timeout: atMost(TIMEOUT_MS),
  },
  async ({ skip }) => {
    const folder = (await installCloudEventsForPython()) ?? skip();
    const program = `
import json, sys
from cloudevents.core.bindings.http import HTTPMessage, from_binary_event
for line in sys.stdin:
    webhook = json.loads(line)
    event = from_binary_event(HTTPMessage(webhook["headers"], webhook["body"].encode()))
    attributes = event.get_attributes()
    time = round(attributes["time"].timestamp() * 1000)
    print(json.dumps({**attributes, "time": time, "data": event.get_data()}))
`;
    const python = join(folder, 'bin', 'python');
    const addresses = ['orders@in.example.com', '"50%" für@in.example.com'];
    const events = await printed(python, ['-c', program], addresses.map(eventIn));
    expect(events).toEqual([
      EVENT,
      {
        ...EVENT,
        source: 'mailto:%2250%25%22%20f%C3%BCr@in.example.com',
        subject: '"50%" für@in.example.com',
      },
    ]);
  },
);

const KEYS = [newPrivateKey(Buffer.alloc(32, 7)), newPrivateKey(Buffer.alloc(32, 8))];
const [PUBLIC_KEY = '', OTHER_KEY = ''] = KEYS.map(publicKeyOf);
const signedBy = (keys: readonly string[], body: string) => ({
  headers: signatureHeaders({
    eventId: 'evt_1',
    body: Buffer.from(body),
    keys: keys.map(signingKeys),
    now: new Date(),
  }),
  body,
});
const [KEY = '', FORMER = ''] = KEYS;
const BODY = '{"text":"ünï"}';
/** Webhooks, and whether `PUBLIC_KEY` verifies them. */
const SIGNED: [webhook: { headers: object; body: string }, isValid: boolean][] = [
  [signedBy([KEY], BODY), true],
  [signedBy([KEY], ''), true],
  [signedBy([FORMER, KEY], BODY), true],
  [signedBy([FORMER], BODY), false],
  [{ ...signedBy([KEY], BODY), body: '{}' }, false],
];
const expected = SIGNED.map(([, isValid]) => isValid);

test(
  'D49: noble verifies with the public key; jose reads the key set and has the same thumbprint',
  {
    timeout: atMost(TIMEOUT_MS),
  },
  async ({ skip }) => {
    const folder = (await installFromNpm('public-keys', PUBLIC_KEYS)) ?? skip();
    const program = join(folder, 'verify.mjs');
    await writeFile(
      program,
      `import { createInterface } from 'node:readline';
     import { ed25519 } from '@noble/curves/ed25519.js';
     import { calculateJwkThumbprint, importJWK } from 'jose';
     for await (const line of createInterface({ input: process.stdin })) {
       const { headers, body, publicKey, jwk } = JSON.parse(line);
       const text = headers['webhook-id'] + '.' + headers['webhook-timestamp'] + '.' + body;
       const message = new TextEncoder().encode(text);
       const raw = new Uint8Array(Buffer.from(publicKey.slice('whpk_'.length), 'base64'));
       const signatures = headers['webhook-signature'].split(' ').map((one) => {
         const [version, base64] = one.split(',');
         return version === 'v1a' ? new Uint8Array(Buffer.from(base64, 'base64')) : undefined;
       });
       const byText = signatures.some((one) => ed25519.verify(one, message, raw));
       const key = await importJWK(jwk);
       const verdicts = signatures.map((one) => crypto.subtle.verify('Ed25519', key, one, message));
       const bySet = (await Promise.all(verdicts)).includes(true);
       console.log(JSON.stringify([byText, bySet, (await calculateJwkThumbprint(jwk)) === jwk.kid]));
     }`,
    );
    const [jwk] = jwksOf([PUBLIC_KEY]).keys;
    const webhooks = SIGNED.map(([webhook]) => ({ ...webhook, publicKey: PUBLIC_KEY, jwk }));
    expect(await printed(process.execPath, [program], webhooks)).toEqual(
      expected.map((isValid) => [isValid, isValid, true]),
    );
  },
);

test(
  'D49: so does the program for Python in docs/, with the package cryptography',
  {
    timeout: atMost(TIMEOUT_MS),
  },
  async ({ skip }) => {
    const folder = (await installCryptographyForPython()) ?? skip();
    const source = codeBlocks(await readPage('docs/receiving-webhooks.md')).find(
      ({ language, code }) => language === 'python' && code.includes('cryptography'),
    );
    const program = `${source?.code}
import json, sys
for line in sys.stdin:
    webhook = json.loads(line)
    headers = webhook["headers"]
    body = webhook["body"].encode()
    print(json.dumps(is_from_inlet(headers, body, webhook["publicKeys"])))
    assert not is_from_inlet({}, body, webhook["publicKeys"])
    assert not is_from_inlet({**headers, "webhook-timestamp": "1"}, body, webhook["publicKeys"])
    assert not is_from_inlet({**headers, "webhook-signature": "v1a,é v1a v1,x"}, body, webhook["publicKeys"])
`;
    const python = join(folder, 'bin', 'python');
    const verdicts = async (publicKeys: string[]) =>
      printed(
        python,
        ['-c', program],
        SIGNED.map(([webhook]) => ({ ...webhook, publicKeys })),
      );
    expect(await verdicts([PUBLIC_KEY])).toEqual(expected);
    expect((await verdicts([OTHER_KEY, PUBLIC_KEY]))[3]).toBe(true);
  },
);

test('D49: the program for Node in docs/ verifies them', async () => {
  const source = codeBlocks(await readPage('docs/receiving-webhooks.md')).find(
    ({ language, code }) => language === 'js' && code.includes('createPublicKey'),
  );
  const program = `${source?.code}
import { createInterface } from 'node:readline';
import assert from 'node:assert';
for await (const line of createInterface({ input: process.stdin })) {
  const { headers, body, publicKeys } = JSON.parse(line);
  const holds = (changed) =>
    isFromInlet({ ...headers, ...changed }, Buffer.from(body), publicKeys);
  console.log(holds({}));
  assert(!holds({ 'webhook-signature': undefined }));
  assert(!holds({ 'webhook-timestamp': '1' }));
  assert(!holds({ 'webhook-signature': 'v1a,é v1a v1,x' }));
}`;
  const node = ['--input-type=module', '--eval', program];
  const webhooks = SIGNED.map(([webhook]) => ({ ...webhook, publicKeys: [PUBLIC_KEY] }));
  expect(await printed(process.execPath, node, webhooks)).toEqual(expected);
});
