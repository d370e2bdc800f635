/**
 * What pages of other origins can do to a user who is signed in, in a real browser: nothing. They
 * read no stream, make no change and frame no page. And what the policy stops in the dashboard's own
 * page.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { hasBrowser, useDashboard, watch } from './dashboard.ts';

/** Without an icon of its own, the browser would ask for /favicon.ico at any time. */
const OTHER_PAGE = '<!doctype html><title>Other</title><link rel="icon" href="data:,">';

describe.skipIf(!hasBrowser)('in the browser of a user who is signed in', () => {
  const shared = useDashboard();
  let own: Page;
  let context: BrowserContext;
  let port: number;
  const parts = new AsyncDisposableStack();
  beforeAll(async () => {
    if (!hasBrowser) return;
    const server = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end(OTHER_PAGE),
    );
    parts.defer(() => void server.close());
    await once(server.listen(0), 'listening');
    ({ port } = server.address() as AddressInfo);
    ({ page: own } = await shared.dashboard.open('/mail'));
    context = own.context();
  });
  afterAll(() => parts.disposeAsync());

  const openPage = async (url: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(url);
    return page;
  };

  // another port is the same site, so the browser sends the cookie
  describe.each([
    ['of the same site', '127.0.0.1', 403],
    ['of another site', 'localhost', 401],
  ])('a page %s', (_, host, status) => {
    test('cannot read the stream, by EventSource or fetch', async () => {
      const url = `${shared.dashboard.origin}/v1/stream`;
      const page = await openPage(`http://${host}:${port}/`);
      const statuses: number[] = [];
      const protocol = await context.newCDPSession(page); // the page itself may not know them
      protocol.on('Network.responseReceivedExtraInfo', ({ statusCode }) =>
        statuses.push(statusCode),
      );
      await protocol.send('Network.enable');
      expect(await page.evaluate(listens, url)).toBe('error');
      expect(await page.evaluate(reads, url)).toBe('refused');
      await expect.poll(() => statuses).toEqual([status, status]);
      await page.close();
      expect(await own.evaluate(listens, url)).toBe('open');
    });

    test('cannot change anything', async () => {
      const url = `${shared.dashboard.origin}/v1/addresses`;
      const body = JSON.stringify({ webhook_url: 'https://evil.example/' });
      const page = await openPage(`http://${host}:${port}/`);
      expect(await page.evaluate(posts, [url, body] as const)).toBe('refused');
      await page.close();
      const { body: list } = await shared.dashboard.whole.call('GET', '/addresses');
      expect(JSON.stringify(list)).not.toContain('evil.example');
    });

    test.each(['/dashboard/', '/dashboard/account', '/v1/addresses', '/docs/'])(
      'cannot frame %s (clickjacking)',
      async (path) => {
        const page = await openPage(`http://${host}:${port}/`);
        const faults = watch(page);
        await page.evaluate(frames, `${shared.dashboard.origin}${path}`);
        await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/);
        await expect.poll(() => faults.join('\n')).toContain('frame-ancestors');
        await page.evaluate(frames, `http://${host}:${port}/framed`);
        await expect.poll(() => page.frames()[2]?.url()).toMatch(/\/framed$/);
        await page.close();
      },
    );
  });

  test('no text becomes HTML or code in the dashboard itself (Trusted Types)', async () => {
    const page = await openPage(`${shared.dashboard.origin}/dashboard/mail`);
    await page.locator('main h1').first().waitFor();
    expect(await page.evaluate(injects)).toEqual(['TypeError', 'EvalError', 'TypeError']);
    await page.close();
  });
});

// These functions run in the browser. The types of Node.js know none of its objects.
type InBrowser = {
  EventSource: new (
    url: string,
    options: { withCredentials: boolean },
  ) => { addEventListener(name: string, handle: () => void): void; close(): void };
  document: {
    createElement(name: string): Record<string, unknown>;
    body: { append(element: unknown): void };
  };
  eval(code: string): unknown;
};

const listens = (url: string): Promise<string> =>
  new Promise((resolve) => {
    const { EventSource } = globalThis as unknown as InBrowser;
    const source = new EventSource(url, { withCredentials: true });
    for (const name of ['open', 'error'])
      source.addEventListener(name, () => {
        source.close();
        resolve(name);
      });
  });

const reads = (url: string): Promise<string> =>
  fetch(url, { credentials: 'include' }).then(
    () => 'read',
    () => 'refused',
  );

const posts = ([url, body]: readonly [string, string]): Promise<string> =>
  fetch(url, {
    method: 'POST',
    credentials: 'include',
    headers: { 'content-type': 'application/json', 'inlet-dashboard': '1' },
    body,
  }).then(
    () => 'read',
    () => 'refused',
  );

function frames(src: string): void {
  const { document } = globalThis as unknown as InBrowser;
  const frame = document.createElement('iframe');
  frame.src = src;
  document.body.append(frame);
}

/** The names of the errors of an element's HTML, an evaluated text and a script's text. */
function injects(): Promise<string[]> {
  const page = globalThis as unknown as InBrowser;
  const attempts = [
    () => (page.document.createElement('div').innerHTML = '<b>x</b>'),
    () => page.eval('1'),
    () => (page.document.createElement('script').text = '1'),
  ];
  // as the page's own code: playwright's call itself may evaluate text
  return new Promise((resolve) => {
    setTimeout(() => {
      const names: string[] = [];
      for (const attempt of attempts)
        try {
          attempt();
          names.push('done');
        } catch (error) {
          names.push((error as Error).name);
        }
      resolve(names);
    });
  });
}
