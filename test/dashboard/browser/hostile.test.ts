/**
 * Hostile emails in a real browser: none runs code, fetches anything or leaves its frame. All
 * requests of the browser pass a proxy, which lets only those to the API through.
 */
import { once } from 'node:events';
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { findBrowser } from '../../support/browser.ts';
import { type DashboardTest, inBrowser, type OpenPage, useDashboard } from './dashboard.ts';
import { HOSTILE_HTML, HOSTILE_SUBJECTS } from './hostile-emails.ts';

const openBrowser = await findBrowser();
const SETTLE_MS = 100;
/** Chrome asks its maker for updates and the like. No email of the set names these hosts. */
const OF_CHROME = /(^|\.)(google|googleapis|gvt1|gstatic)\.com$/;
/** What the API sends with the HTML of an email. */
const HTML_POLICY =
  "sandbox allow-same-origin; default-src 'none'; img-src data:; style-src 'unsafe-inline'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

describe.skipIf(openBrowser === undefined)('hostile emails', () => {
  const shared = useDashboard();
  const parts = new AsyncDisposableStack();
  const hosts = new Set<string>();
  let browser: Browser;
  let dashboard: DashboardTest;
  let opened: OpenPage;
  let page: Page;
  let address: { id: string; address: string };
  beforeAll(async () => {
    if (!openBrowser) return;
    const proxy = await startProxy(hosts);
    parts.defer(() => void proxy.close());
    const server = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    // Chrome would otherwise connect to the loopback interface directly
    browser = await openBrowser({ proxy: { server, bypass: '<-loopback>' } });
    parts.defer(() => browser.close());
    dashboard = inBrowser(browser, shared.dashboard.whole);
    address = await dashboard.whole.address('/hostile');
    opened = await dashboard.open('/mail');
    ({ page } = opened);
  });
  afterAll(() => parts.disposeAsync());

  /** Opens the HTML of another email, as a link of the dashboard does, and lets it do what it can. */
  async function show(eventId: string): Promise<void> {
    const path = `/deliveries/${eventId}/html`;
    const html = page.waitForResponse((response) => response.url().endsWith(path));
    await page.evaluate(`
      history.pushState(null, '', '/dashboard/mail/${eventId}?body=html');
      dispatchEvent(new PopStateEvent('popstate'));
    `);
    await html;
    const frame = page.locator(`iframe.mail-html[src$="${path}"]`);
    await frame.waitFor();
    await page.waitForTimeout(SETTLE_MS);
    const dialogs = page.getByRole('dialog');
    expect(await dialogs.count()).toBe(0); // it would get the click
    const box = await frame.boundingBox();
    if (box) await page.mouse.click(box.x + 30, box.y + 30); // the first link, button or area
    await page.waitForTimeout(SETTLE_MS);
    if ((await dialogs.count()) > 0) await page.keyboard.press('Escape');
  }

  async function expectHarmless(): Promise<void> {
    const { hostname } = new URL(dashboard.origin);
    expect([...hosts].filter((host) => host !== hostname)).toEqual([]);
    expect(await page.evaluate(() => (globalThis as { hacked?: unknown }).hacked)).toBeUndefined();
    expect(opened.faults.filter((fault) => /dialog|PWNED|exception/.test(fault))).toEqual([]);
    expect(page.url()).toContain(`${dashboard.origin}/dashboard/mail/`);
    expect(page.context().pages()).toHaveLength(1);
    await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  }

  const sent = async (html: string, subject: string) => {
    await dashboard.whole.mailer.sendMail({
      from: 'Mallory <mallory@evil.test>',
      to: address.address,
      subject,
      text: 'text first \u202efdp.exe',
      html,
      attachments: [
        { filename: 'loop.png', content: 'x'.repeat(50_000), cid: 'loop@x' },
        { filename: 'page.html', content: '<script>top.hacked=1</script>', cid: 'page@x' },
      ],
    });
  };
  const eventIds = async () => {
    const { body } = await dashboard.whole.call(
      'GET',
      `/deliveries?address_id=${address.id}&limit=100`,
    );
    const { data } = body as { data: { event_id: string; subject: string }[] };
    return new Map(data.map((one) => [one.subject, one.event_id]));
  };

  test('the set has at least 40', () => {
    expect(Object.keys(HOSTILE_HTML).length).toBeGreaterThanOrEqual(40);
  });

  test('each is shown, and does nothing', async () => {
    for (const [name, html] of Object.entries(HOSTILE_HTML)) await sent(html, name);
    await expect.poll(async () => (await eventIds()).size).toBe(Object.keys(HOSTILE_HTML).length);
    for (const eventId of (await eventIds()).values()) {
      await show(eventId);
      await expectHarmless();
    }
  });

  test('the sandbox alone stops the same HTML without any cleaning', async () => {
    const ids = [...(await eventIds()).values()];
    expect(ids).toHaveLength(Object.keys(HOSTILE_HTML).length);
    for (const [n, html] of Object.values(HOSTILE_HTML).entries()) {
      if (/rel=(preconnect|dns-prefetch)/.test(html)) continue; // no policy covers these
      await page.route('**/html', (route) =>
        route.fulfill({
          body: html,
          headers: { 'content-type': 'text/html', 'content-security-policy': HTML_POLICY },
        }),
      );
      await show(ids[n] ?? '');
      await expectHarmless();
      await page.unroute('**/html');
    }
  });

  test('subjects and names are text, and cannot pretend to be another text', async () => {
    for (const subject of HOSTILE_SUBJECTS) await sent('<p>x</p>', subject);
    await expect
      .poll(async () => (await eventIds()).size)
      .toBe(Object.keys(HOSTILE_HTML).length + HOSTILE_SUBJECTS.length);
    for (const screen of ['mail', 'activity?event_type=email.received']) {
      await page.goto(`${dashboard.origin}/dashboard/${screen}`);
      if (screen !== 'mail') await page.locator('.event-run summary').first().click();
      await page.getByText('invoice\ufffdgpj.exe').first().waitFor();
      await page.getByText('"><script>').first().waitFor();
      const text = await page.locator('main').textContent();
      expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
      expect(await page.locator('main img, main script').count()).toBe(0);
    }
    const eventId = (await eventIds()).get(HOSTILE_SUBJECTS.find((s) => /\u202e/.test(s)) ?? '');
    for (const [view, shown] of [
      ['message', 'text first \\u202efdp.exe'],
      ['payload', '\\u202e'],
    ]) {
      await page.goto(`${dashboard.origin}/dashboard/mail/${eventId}?view=${view}`);
      await page
        .locator('main pre')
        .getByText(shown ?? '')
        .first()
        .waitFor();
      expect(await page.locator('main').textContent()).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    }
    expect([...hosts]).toEqual([new URL(dashboard.origin).hostname]);
  });

  test('another page can neither frame the dashboard nor the HTML of an email', async () => {
    const [eventId = ''] = (await eventIds()).values();
    for (const path of ['/dashboard/', `/v1/deliveries/${eventId}/html`]) {
      const other = await page.context().newPage();
      await other.goto('about:blank');
      await other.setContent(`<iframe src="${dashboard.origin}${path}"></iframe>`);
      await other.waitForTimeout(SETTLE_MS);
      const [, frame] = other.frames();
      expect(frame?.url() === 'about:blank' || frame?.url().startsWith('chrome-error:')).toBe(true);
      await other.close();
    }
  });

  test('without sandbox and cleaning, the same HTML runs and fetches: these tests can fail', async () => {
    const context = await browser.newContext();
    const bare = await context.newPage();
    const dialogs: string[] = [];
    bare.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const body = `${HOSTILE_HTML['a script']}${HOSTILE_HTML['remote images']}`;
    await bare.route('**/bare', (route) => route.fulfill({ body, contentType: 'text/html' }));
    await bare.goto(`${dashboard.origin}/bare`);
    await expect.poll(() => hosts.has('evil.test')).toBe(true);
    expect(dialogs).toEqual(['PWNED']);
    await context.close();
  });
});

/** Notes the host of every request, and forwards those to the loopback interface. */
async function startProxy(hosts: Set<string>): Promise<Server> {
  const note = (host: string) => void (OF_CHROME.test(host) || hosts.add(host));
  const server = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? '', 'http://none.test');
    note(url.hostname);
    if (url.hostname !== '127.0.0.1') return void outgoing.writeHead(502).end();
    const onward = forward(
      url,
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(outgoing);
      },
    );
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    return void incoming.pipe(onward);
  });
  server.on('connect', ({ url = '' }, socket) => {
    note(url.replace(/:\d+$/, ''));
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
