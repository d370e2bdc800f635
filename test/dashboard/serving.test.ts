/** How the API serves the dashboard: its policy, caching, compression, and the switch that turns it off. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type BundledFile, bundleDashboard } from '../../services/dashboard/bundle/bundle.ts';
import { REVISION } from '../../services/adapters/process/commit.ts';
import { VERSION } from '../../services/core/version.ts';
import { startTestApi, type TestApi } from '../support/start-api.ts';
import { testDir } from '../support/servers.ts';

/** What the page loads before it shows anything, and all screens, of which each loads when it is opened. */
const FIRST_MAX_BYTES = 60 * 1024;
const ALL_MAX_BYTES = 101 * 1024;

let parts: AsyncDisposableStack;
let api: TestApi;
let withoutDashboard: TestApi;
let files: BundledFile[];
beforeAll(async () => {
  parts = new AsyncDisposableStack();
  const folder = join(parts.use(await testDir()).path, 'dashboard');
  files = await bundleDashboard(folder);
  api = parts.use(await startTestApi({ env: { DASHBOARD_DIR: folder } }));
  withoutDashboard = parts.use(
    await startTestApi({
      env: { DASHBOARD_DIR: folder, DASHBOARD: 'false' },
      natsServer: api.natsServer,
    }),
  );
});
afterAll(() => parts.disposeAsync());

const get = (path: string, headers: Record<string, string> = {}, of = api) =>
  fetch(`${of.url}${path}`, { redirect: 'manual', headers });

const script = () => files.find(({ path }) => /\/app-\w+\.js$/.test(path))?.path ?? '';

const sum = (some: readonly BundledFile[]) =>
  some.reduce((total, { gzipBytes }) => total + gzipBytes, 0);

test('the first screens have at most 60 KB with gzip, and all screens 101 KB', async () => {
  const code = files.filter(({ path }) => /\.(js|css)$/.test(path));
  const first = code.filter(({ isFirst }) => isFirst);
  expect(sum(first)).toBeLessThanOrEqual(FIRST_MAX_BYTES);
  expect(sum(code)).toBeLessThanOrEqual(ALL_MAX_BYTES);
  expect(code.length).toBeGreaterThan(first.length);
  const page = await (await get('/dashboard/')).text();
  expect(first.filter(({ path }) => !page.includes(`/dashboard/${path}`))).toEqual([]);
});

test('/ leads to the dashboard, and /dashboard to its folder', async () => {
  const answers = await Promise.all([get('/'), get('/dashboard')]);
  expect(answers.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
    [302, '/dashboard/'],
    [302, '/dashboard/'],
  ]);
});

test.each(['/dashboard/', '/dashboard/mail', '/dashboard/mail/evt_1?x=1'])(
  'the page at %s has the script, and is revalidated each time',
  async (path) => {
    const response = await get(path);
    expect(await response.text()).toContain(`src="/dashboard/${script()}"`);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    const again = await get(path, { 'if-none-match': response.headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
  },
);

test('the page names the version and the commit, which no script does: a build changes no other file', async () => {
  const page = await (await get('/dashboard/')).text();
  expect(page).toContain(`<meta name="inlet-build" content="${VERSION} (${REVISION})">`);
  const code = await (await get(`/dashboard/${script()}`)).text();
  expect(code).not.toContain(REVISION);
});

test('a file with a hashed name may be cached forever', async () => {
  const { headers } = await get(`/dashboard/${script()}`);
  expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
});

test.each([
  ['br, gzip', 'br'],
  ['gzip', 'gzip'],
  ['identity', null],
])('Accept-Encoding %s gets %s', async (accepted, encoding) => {
  const { headers, body } = await get(`/dashboard/${script()}`, { 'accept-encoding': accepted });
  await body?.cancel();
  expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([
    encoding,
    'Accept-Encoding',
  ]);
});

test('compressed copies have the same content', async () => {
  const folder = parts.use(await testDir()).path;
  const [file] = await bundleDashboard(folder);
  const path = join(folder, file?.path ?? '');
  expect(gunzipSync(await readFile(`${path}.gz`))).toEqual(await readFile(path));
});

describe('the policy', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/dashboard'],
    ['GET', '/dashboard/'],
    ['GET', '/dashboard/mail'],
    ['GET', '/dashboard/assets/none.js'],
    ['POST', '/dashboard/'],
  ])('is on the response for %s %s', async (method, path) => {
    const { headers } = await fetch(`${api.url}${path}`, { method, redirect: 'manual' });
    const policy = headers.get('content-security-policy')?.split('; ');
    expect(policy).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "frame-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  test('the page has no inline script or style, and names no other host', async () => {
    const page = await (await get('/dashboard/')).text();
    expect(page).not.toMatch(/<script(?![^>]* src=)|<style|style=|\son\w+=|https?:/i);
  });
});

test('an unknown file is 404, and a POST is 405', async () => {
  expect((await get('/dashboard/assets/app-0.js')).status).toBe(404);
  expect((await get('/dashboard/assets/../../package.json')).status).toBe(404);
  expect((await fetch(`${api.url}/dashboard/`, { method: 'POST' })).status).toBe(405);
});

test('DASHBOARD=false serves none of it, and / leads to the documentation', async () => {
  const start = await get('/', {}, withoutDashboard);
  expect([start.status, start.headers.get('location')]).toEqual([302, '/docs/']);
  expect((await get('/dashboard/', {}, withoutDashboard)).status).toBe(404);
});
