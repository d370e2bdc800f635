/**
 * The receivers in docs/ work as printed: copied out, run, and fed valid webhooks and hostile
 * headers. None may crash.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import {
  newSecret,
  signatureHeaders,
  signingKeys,
  svcSignature,
} from '../../services/core/webhook/signature.ts';
import { freePort } from '../../services/standalone/processes/ports.ts';
import { until } from '../support/until.ts';
import { codeBlocks, readPage, readPages } from './pages.ts';
import { type Program, type Runtime, RUNTIMES } from './runtimes.ts';

const SECRET = newSecret(Buffer.alloc(32, 7));
const OTHER_SECRET = newSecret(Buffer.alloc(32, 8));
const BODY = Buffer.from('{"event_id":"evt_1","headers":{"subject":"ünï"}}');
const TOLERANCE_MS = 300_000;

const sign = (secrets: readonly string[], now = new Date()) =>
  signatureHeaders({ eventId: 'evt_1', body: BODY, keys: secrets.map(signingKeys), now });
const svc = (secrets: readonly string[], now = new Date()) =>
  svcSignature({ body: BODY, keys: secrets.map(signingKeys), now });

const now = () => Math.floor(Date.now() / 1000);
const validHex = (): string => /s=(\w+)/.exec(svc([SECRET]))?.[1] ?? '';

/** `Svc-Signature` values, made when the test runs: they hold the time. */
const SVC_CASES: [title: string, header: () => string | null, isValid: boolean][] = [
  ['a valid signature', () => svc([SECRET]), true],
  ['two signatures while a secret is rotated', () => svc([OTHER_SECRET, SECRET]), true],
  ['another secret', () => svc([OTHER_SECRET]), false],
  ['an old timestamp', () => svc([SECRET], new Date(Date.now() - TOLERANCE_MS - 1_000)), false],
  ['a future timestamp', () => svc([SECRET], new Date(Date.now() + TOLERANCE_MS + 5_000)), false],
  ['a changed timestamp', () => svc([SECRET]).replace(/t=\d+/, `t=${now() - 5}`), false],
  ['another version', () => svc([SECRET]).replace('v1', 'v2'), false],
  ['no header', () => null, false],
  ['an empty header', () => '', false],
  ['no timestamp', () => `v1,s=${validHex()}`, false],
  ['an empty timestamp', () => `v1,t=,s=${validHex()}`, false],
  ['a timestamp of words', () => `v1,t=now,s=${validHex()}`, false],
  ['a timestamp with a superscript digit', () => `v1,t=²,s=${validHex()}`, false],
  ['a timestamp of Arabic digits', () => `v1,t=١٢٣,s=${validHex()}`, false],
  ['a negative timestamp', () => `v1,t=-9223372036854775808,s=${validHex()}`, false],
  ['an exponent as timestamp', () => `v1,t=1e400,s=${validHex()}`, false],
  ['a huge timestamp', () => `v1,t=${'9'.repeat(10_000)},s=${validHex()}`, false],
  ['no signature', () => `v1,t=${now()}`, false],
  ['an empty signature', () => `v1,t=${now()},s=`, false],
  ['a short signature', () => `v1,t=${now()},s=00`, false],
  ['a long signature', () => `v1,t=${now()},s=${'0'.repeat(66)}`, false],
  ['64 characters that are not hex', () => `v1,t=${now()},s=${'z'.repeat(64)}`, false],
  ['a signature of one non-ASCII character', () => `v1,t=${now()},s=é`, false],
  ['64 non-ASCII characters', () => `v1,t=${now()},s=${'é'.repeat(64)}`, false],
  ['a lone surrogate', () => `v1,t=${now()},s=\ud800`, false],
  ['a repeated timestamp, the first one old', () => `v1,t=1,t=${now()},s=${validHex()}`, false],
  ['a bad signature before a valid one', () => svc([SECRET]).replace(',s=', ',s=zz,s='), true],
  ['a repeated header, joined by a server', () => `${svc([SECRET])}, ${svc([SECRET])}`, true],
  ['100,000 empty fields', () => `v1${','.repeat(100_000)}`, false],
  ['a huge header', () => `v1,t=${now()},s=${'0'.repeat(1_000_000)}`, false],
];

/** Calls the function of the snippet for each line of standard input, and prints the answers. */
const CALLERS: Record<Runtime['name'], string> = {
  Node: `
import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  const { header, body, secret } = JSON.parse(line);
  console.log(isFromInlet(header ?? undefined, Buffer.from(body, 'hex'), secret));
}`,
  Python: `
import json, sys
for line in sys.stdin:
    case = json.loads(line)
    print(str(is_from_inlet(case["header"], bytes.fromhex(case["body"]), case["secret"])).lower())`,
  Go: `package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	input := json.NewDecoder(os.Stdin)
	for input.More() {
		var line struct{ Header, Body, Secret string }
		if err := input.Decode(&line); err != nil {
			panic(err)
		}
		body, err := hex.DecodeString(line.Body)
		if err != nil {
			panic(err)
		}
		fmt.Println(isFromInlet(line.Header, body, line.Secret))
	}
}`.replace('import (\n', 'import (\n\t"encoding/hex"\n'),
};

type Headers = [name: string, value: string][];

const withHeader = (name: string, value: string): Headers => [
  ...Object.entries(sign([SECRET])).filter(([other]) => other !== name),
  [name, value],
];
const without = (name: string): Headers =>
  Object.entries(sign([SECRET])).filter(([other]) => other !== name);

/**
 * Requests that a receiver must answer with 4xx. Values are sent as UTF-8, which HTTP/1.1 calls
 * opaque.
 */
const HOSTILE: [title: string, headers: () => Headers][] = [
  ['another secret', () => Object.entries(sign([OTHER_SECRET]))],
  ['an old timestamp', () => Object.entries(sign([SECRET], new Date(Date.now() - 400_000)))],
  ['no signature headers', () => []],
  ['no webhook-id', () => without('webhook-id')],
  ['no webhook-timestamp', () => without('webhook-timestamp')],
  ['no webhook-signature', () => without('webhook-signature')],
  ['an empty signature', () => withHeader('webhook-signature', '')],
  ['a signature without a comma', () => withHeader('webhook-signature', 'v1')],
  ['a signature with many commas', () => withHeader('webhook-signature', 'v1,a,b,c')],
  ['a short signature', () => withHeader('webhook-signature', 'v1,AAAA')],
  ['a signature that is not Base64', () => withHeader('webhook-signature', `v1,${'!'.repeat(44)}`)],
  ['Base64 of a wrong length', () => withHeader('webhook-signature', 'v1,AAAAA')],
  ['a non-ASCII signature', () => withHeader('webhook-signature', `v1,${'é'.repeat(44)}`)],
  ['only spaces', () => withHeader('webhook-signature', '  v1,  v1,')],
  ['a huge signature', () => withHeader('webhook-signature', `v1,${'A'.repeat(60_000)}`)],
  ['many signatures', () => withHeader('webhook-signature', 'v1,AAAA '.repeat(1_500))],
  ['a timestamp of words', () => withHeader('webhook-timestamp', 'now')],
  ['an infinite timestamp', () => withHeader('webhook-timestamp', 'inf')],
  ['a timestamp that is no number', () => withHeader('webhook-timestamp', 'nan')],
  ['a huge timestamp', () => withHeader('webhook-timestamp', '9'.repeat(400))],
  ['a non-ASCII timestamp', () => withHeader('webhook-timestamp', '²')],
  ['a non-ASCII id', () => withHeader('webhook-id', 'é')],
  [
    'repeated signatures of another secret',
    () => [
      ...without('webhook-signature'),
      ['webhook-signature', sign([OTHER_SECRET])['webhook-signature']],
      ['webhook-signature', sign([OTHER_SECRET])['webhook-signature']],
    ],
  ],
  [
    'a repeated, bad timestamp',
    () => [['webhook-timestamp', 'x'], ...withHeader('webhook-timestamp', 'y')],
  ],
];

/** Framing that no receiver may trust; the answer may also be a closed connection. */
const BROKEN_LENGTHS: [title: string, length: string][] = [
  ['negative', '-1'],
  ['too large', '99999999999'],
  ['beyond 64 bits', '9'.repeat(5_000)],
  ['a word', 'many'],
  ['not ASCII', '²'],
];

describe.each(RUNTIMES)('$name', (runtime) => {
  let fault: unknown;
  let receiverProgram: Program;
  let verifierProgram: Program;

  beforeAll(async () => {
    try {
      await runtime.install();
    } catch (error) {
      fault = error;
      return;
    }
    const blocks = codeBlocks(await readPage('docs/receiving-webhooks.md'));
    const [verifier = '', receiver = ''] = blocks
      .filter(({ language }) => language === runtime.language)
      .map(({ code }) => code);
    [receiverProgram, verifierProgram] = await Promise.all([
      runtime.prepare(await folder('receiver'), [receiver]),
      runtime.prepare(await folder('verifier'), [verifier, CALLERS[runtime.name]]),
    ]);
  });

  const folder = async (name: string): Promise<string> => {
    const parent = join(inject('scratchDir'), 'snippets');
    await mkdir(parent, { recursive: true });
    return mkdtemp(join(parent, `${runtime.name}-${name}-`));
  };
  /** Reports why the tests of a language are skipped. */
  const needsRuntime = (skip: (note: string) => void) => {
    if (fault !== undefined)
      skip(`${runtime.name} or its standardwebhooks package is missing: ${String(fault)}`);
  };

  test('the function that verifies Svc-Signature answers true or false, and never throws', async ({
    skip,
  }) => {
    needsRuntime(skip);
    const { command, args, env } = verifierProgram;
    const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    for (const [, header] of SVC_CASES) {
      const line = { header: header(), body: BODY.toString('hex'), secret: SECRET };
      child.stdin.write(`${JSON.stringify(line)}\n`);
    }
    child.stdin.end();
    const answers = (await text(child.stdout)).trim().split('\n');
    expect(SVC_CASES.map(([title], i) => [title, answers[i]])).toEqual(
      SVC_CASES.map(([title, , isValid]) => [title, String(isValid)]),
    );
  });

  describe('the receiver', () => {
    let child: ChildProcess | undefined;
    let port: number;

    beforeAll(async () => {
      if (fault !== undefined) return;
      port = await freePort();
      const { command, args, env } = receiverProgram;
      child = spawn(command, args, {
        env: { ...(env ?? process.env), WEBHOOK_SECRET: SECRET, PORT: String(port) },
        stdio: ['ignore', 'ignore', 'ignore'],
      });
      await until(`the ${runtime.name} receiver`, () => reachable(port));
    });
    afterAll(async () => {
      if (!child || child.exitCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    });

    const isAlive = async (): Promise<boolean> =>
      (await post(port, Object.entries(sign([SECRET])))) === 200 &&
      child?.exitCode === null &&
      child.signalCode === null;

    test('accepts a valid webhook, and one signed with two secrets', async ({ skip }) => {
      needsRuntime(skip);
      expect(await post(port, Object.entries(sign([SECRET])))).toBe(200);
      expect(await post(port, Object.entries(sign([OTHER_SECRET, SECRET])))).toBe(200);
    });

    test.for(HOSTILE)('refuses %s', async ([, headers], { skip }) => {
      needsRuntime(skip);
      const status = await post(port, headers());
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      expect(await isAlive()).toBe(true);
    });

    test.for(BROKEN_LENGTHS)(
      'survives a Content-Length that is %s',
      async ([, length], { skip }) => {
        needsRuntime(skip);
        const status = await post(port, Object.entries(sign([SECRET])), length);
        expect(status === undefined || (status >= 400 && status < 500)).toBe(true);
        expect(await isAlive()).toBe(true);
      },
    );

    test('survives a client that hangs up in the middle of the body', async ({ skip }) => {
      needsRuntime(skip);
      const socket = connect(port, '127.0.0.1');
      socket.write(requestHead(Object.entries(sign([SECRET])), '1000'));
      socket.write('{');
      await once(socket, 'connect');
      socket.destroy();
      expect(await isAlive()).toBe(true);
    });
  });
});

test('every receiver in docs/ is on the page that these tests read', async () => {
  const languages = new Set(RUNTIMES.map(({ language }) => language));
  const pages = await readPages();
  // test/contract/clients.test.ts runs the programs of api.md, ci-recipes.test.ts those of
  // local-development.md, test/clients those of the clients; tutorials.test.ts the tutorials;
  // the others have a test of their name
  const testedElsewhere = [
    'docs/api.md',
    'docs/local-development.md',
    'docs/clients/python.md',
    'docs/deciding-hooks.md',
    'docs/reply-addresses.md',
    'docs/testing-with-email.md',
    'docs/other-ways-in.md',
    'docs/scaling.md', // commands for MongoDB: test/adapters/mongo/sharding.test.ts
  ];
  const found = pages
    .filter(({ path }) => !testedElsewhere.includes(path) && !path.startsWith('docs/tutorials/'))
    .flatMap((page) =>
      codeBlocks(page)
        .filter(({ language }) => languages.has(language))
        .map(({ language }) => `${page.path}: ${language}`),
    );
  // test/contract/webhook-packages.test.ts runs the last two
  const shown = RUNTIMES.map(({ language }) => language);
  expect(found).toEqual(
    [...shown, ...shown, 'js', 'python'].map((one) => `docs/receiving-webhooks.md: ${one}`),
  );
});

const requestHead = (headers: Headers, length: string): string =>
  [
    'POST / HTTP/1.1',
    'Host: receiver.test',
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    'Connection: close',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n');

/**
 * Written byte by byte as given: an HTTP client would refuse to send such headers.
 * @returns undefined when the connection is closed without a response
 */
async function post(
  port: number,
  headers: Headers,
  length = String(BODY.byteLength),
): Promise<number | undefined> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined); // a receiver may close before it has read everything
  socket.write(requestHead(headers, length));
  socket.write(BODY);
  return statusOf(socket);
}

async function statusOf(socket: Socket): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  let received = '';
  const read = () => /^HTTP\/1\.[01] (\d{3}) /.exec(received)?.[1];
  socket.setTimeout(20_000, () => socket.destroy());
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    if (read() !== undefined) resolve(Number(read()));
  });
  socket.on('close', () => resolve(undefined));
  const status = await promise;
  socket.destroy();
  return status;
}

const reachable = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
};
