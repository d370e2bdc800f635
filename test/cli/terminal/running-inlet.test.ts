/**
 * What the command believes of a standalone.json that it finds: only the file of this user's own
 * `npm start`. A token of the environment goes to the API of the environment only.
 */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';

import { beforeEach, expect, test, vi } from 'vitest';

import { runCommand } from '../../support/inlet-command.ts';
import { testDir } from '../../support/servers.ts';
import { useInFile } from '../../support/use-in-file.ts';

/** The Authorization headers that reached the API. */
const sent: (string | undefined)[] = [];
const folder = (await useInFile(testDir())).path;
const server = await useInFile(
  createServer(({ headers }, response) => {
    sent.push(headers.authorization);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}');
  }),
);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const apiUrl = `http://127.0.0.1:${(server.address() as { port: number }).port}/v1`;
beforeEach(() => void (sent.length = 0));

const FILE = () => join(folder, '.inlet', 'standalone.json');

/** The file of a running `npm start`, but for the given fields. */
async function found(fields: object = {}, mode = 0o600): Promise<void> {
  const state = {
    api_url: apiUrl,
    token: 'svc_live_file',
    smtp_host: '127.0.0.1',
    smtp_port: 25,
    pids: { standalone: process.pid },
    ...fields,
  };
  await mkdir(join(folder, '.inlet'), { recursive: true });
  await rm(FILE(), { force: true });
  await writeFile(FILE(), JSON.stringify(state));
  await chmod(FILE(), mode);
}

const list = (env: NodeJS.ProcessEnv = {}) =>
  runCommand(['addresses', 'list'], {
    env: { HOME: folder, ...env },
    cwd: join(folder, 'sub', 'x'),
  });

test('the file of the own npm start is used, from a folder below, too', async () => {
  await found();
  expect(await list()).toMatchObject({ code: 0, err: '' });
  expect(sent).toEqual(['Bearer svc_live_file']);
});

test.each<[title: string, fields: object, mode: number, why: string]>([
  ['that others can read', {}, 0o644, 'others may use it (mode 644, needs 600)'],
  ['that others can change', {}, 0o660, 'others may use it (mode 660, needs 600)'],
  [
    'with an API elsewhere',
    { api_url: 'https://evil.example/v1' },
    0o600,
    'it names servers that are not on this machine',
  ],
  [
    'with an SMTP server elsewhere',
    { smtp_host: 'evil.example' },
    0o600,
    'it names servers that are not on this machine',
  ],
])('a file %s is ignored, and the reason is printed', async (_, fields, mode, why) => {
  await found(fields, mode);
  expect(await list()).toEqual({
    code: 3,
    out: '',
    err: expect.stringMatching(`^ignored ${FILE()}: ${RegExp.escape(why)}\ninlet: no API is known`),
  });
  expect((await runCommand(['send'], { env: {}, cwd: folder })).code).toBe(6);
  expect(sent).toEqual([]);
});

test('a file of another user is ignored', async () => {
  await found();
  using _user = vi.spyOn(process, 'getuid').mockReturnValue(process.getuid!() + 1);
  expect((await list()).err).toContain('it belongs to another user');
  expect(sent).toEqual([]);
});

test.each([
  ['of a process that has ended', { pids: { standalone: 2 ** 22 + 1 } }],
  ['without processes', { pids: null }],
  ['of all processes', { pids: { standalone: -1 } }],
])('a file %s is ignored', async (_, fields) => {
  await found(fields);
  expect(await list()).toMatchObject({ code: 3 });
  expect(sent).toEqual([]);
});

test('a pipe in place of the file does not block the command', async () => {
  await found();
  await rm(FILE());
  execFileSync('mkfifo', ['-m', '600', FILE()]);
  expect(await list()).toMatchObject({ code: 3 });
});

test('INLET_TOKEN needs INLET_API_URL: a file decides for no token but its own', async () => {
  await found();
  expect(await list({ INLET_TOKEN: 'svc_live_mine' })).toEqual({
    code: 2,
    out: '',
    err: expect.stringContaining('INLET_TOKEN is set, but INLET_API_URL is not'),
  });
  expect(sent).toEqual([]);
  const both = { INLET_TOKEN: 'svc_live_mine', INLET_API_URL: apiUrl };
  expect(await list(both)).toMatchObject({ code: 0 });
  expect(sent).toEqual(['Bearer svc_live_mine']);
});
