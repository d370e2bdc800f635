/**
 * What an email, or a hostile API, must not do to the terminal and the browser: JSON on a terminal
 * has no control or format characters, and only links of the API itself are opened.
 */
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { jsonFor } from '../../services/cli/terminal/text.ts';
import { runCommand } from '../support/inlet-command.ts';
import { testDir } from '../support/servers.ts';
import { until } from '../support/until.ts';

/** CSI of C1, NEL, right-to-left override and isolate, soft hyphen, and one above U+FFFF. */
const SUBJECT = 'gnp.exe \u009b31m \u0085 \u202e \u2066 \u00ad \u{e0041} ok ü';
const DELIVERY = { event_id: 'evt_1', address_id: 'addr_1', status: 'pending', subject: SUBJECT };
const EVENT = {
  type: 'email.received',
  at: '2026-11-24T00:00:00Z',
  event_id: 'evt_1',
  address_id: 'addr_1',
  delivery: { ...DELIVERY, received_at: '2026-11-24T00:00:00Z', size_bytes: 1 },
};

const parts = new AsyncDisposableStack();
let env: NodeJS.ProcessEnv;
let origin: string;
let link: string;
beforeAll(async () => {
  const server = createServer(({ url = '' }, response) => {
    if (url.startsWith('/v1/stream')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"type":"stream.ready"}\n\n');
      response.write(`id: 1\ndata: ${JSON.stringify(EVENT)}\n\n`);
      return;
    }
    const answer = url.includes('/wait')
      ? DELIVERY
      : url.endsWith('/payload')
        ? { headers: { subject: SUBJECT } }
        : url.endsWith('/dashboard-links')
          ? { url: link, expires_at: '2026-11-24T00:05:00Z' }
          : { data: [DELIVERY] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  parts.defer(() => server.close().closeAllConnections());
  origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  env = { INLET_API_URL: `${origin}/v1`, INLET_TOKEN: 'svc_live_x' };
});
afterAll(() => parts.disposeAsync());

const HOSTILE = /(?!\n)[\p{Cc}\p{Cf}]/u;

/** Stops a command that would run until Ctrl-C, once it has printed a line. */
async function output(args: string[], isInteractive: boolean): Promise<string> {
  const stop = new AbortController();
  let out = '';
  const ended = runCommand(args, {
    env,
    isInteractive,
    stopped: stop.signal,
    write: (text) => void (out += text),
  });
  await until('the output', () => out.endsWith('\n') || out.endsWith('}'));
  stop.abort();
  await ended;
  return out;
}

/** A folder with programs in place of those that open links; they note their arguments. */
async function openers(): Promise<AsyncDisposable & { opened: () => Promise<string> }> {
  const dir = await testDir();
  const log = join(dir.path, 'opened');
  for (const name of ['xdg-open', 'open']) {
    await writeFile(join(dir.path, name), `#!/bin/sh\necho "$@" >> '${log}'\n`);
    await chmod(join(dir.path, name), 0o755);
  }
  vi.stubEnv('PATH', `${dir.path}${delimiter}${process.env.PATH}`);
  return {
    opened: () => readFile(log, 'utf8').catch(() => ''),
    [Symbol.asyncDispose]: async () => {
      vi.unstubAllEnvs();
      await dir[Symbol.asyncDispose]();
    },
  };
}

describe('JSON with characters that control a terminal', () => {
  test.each([
    [['--json', 'deliveries', 'list']],
    [['deliveries', 'payload', 'evt_1']],
    [['--json', 'wait', '--address', 'addr_1']],
    [['--json', 'listen']],
    [['listen', '--print', 'body']],
    [['--json', 'tail']],
  ])('%j: escapes on a terminal, the value is the same; the bytes in a pipe', async (args) => {
    const [shown, piped] = [await output(args, true), await output(args, false)];
    expect(piped).toContain(SUBJECT);
    expect(shown).not.toMatch(HOSTILE);
    expect(JSON.parse(shown)).toEqual(JSON.parse(piped));
  });

  test('an escape that an API sends outside of a string does not reach the terminal', () => {
    const hostile = '{"a": 1}\u001b]0;title\u0007\n';
    expect(jsonFor({ isInteractive: true }, hostile)).not.toMatch(HOSTILE);
    expect(jsonFor({ isInteractive: false }, hostile)).toBe(hostile);
  });
});

describe('inlet dashboard', () => {
  test('opens a link of the API', async () => {
    await using browser = await openers();
    link = `${origin}/dashboard/#code=1`;
    expect(await runCommand(['dashboard'], { env })).toMatchObject({
      code: 0,
      out: 'the dashboard opens in your browser\n',
    });
    await until('the browser', async () => (await browser.opened()) === `${link}\n`);
  });

  test('prints a link that leads elsewhere, and says so', async () => {
    await using browser = await openers();
    link = 'https://evil.example/dashboard/#code=1';
    expect(await runCommand(['dashboard'], { env })).toEqual({
      code: 0,
      out: `${link}\n`,
      err:
        'not opened: the link leads to https://evil.example, ' +
        `not to the API at ${origin}/v1. Open it if you trust it\n`,
    });
    expect(await browser.opened()).toBe('');
  });

  test.each(['file:///etc/passwd', 'smb://evil.example/x', '--help', 'javascript:alert(1)', ''])(
    'refuses the link %j',
    async (url) => {
      await using browser = await openers();
      link = url;
      for (const args of [['dashboard'], ['dashboard', '--print']])
        expect(await runCommand(args, { env })).toEqual({
          code: 1,
          out: '',
          err: 'inlet: the API responded with a link that is not http or https\n',
        });
      expect(await browser.opened()).toBe('');
    },
  );
});
