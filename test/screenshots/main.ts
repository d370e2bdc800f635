/**
 * `npm run screenshots` writes docs/images/*.png: starts Inlet with sample data, opens the dashboard
 * in a browser, and photographs its screens. Needs Chrome, Chromium, or CHROME_BIN.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Browser } from 'playwright-core';

import { readConfig } from '../../services/adapters/process/config.ts';
import { createApiClient } from '../../services/standalone/round-trip/api-client.ts';
import { StandaloneConfig } from '../../services/standalone/settings/config.ts';
import { createDashboardLink } from '../../services/standalone/dashboard-link.ts';
import { startStandalone } from '../../services/standalone/standalone.ts';
import { installedBrowser, launchBrowser } from '../support/installed-browser.ts';
import { sampleData, type Samples } from './sample-data.ts';

const IMAGES = join(import.meta.dirname, '..', '..', 'docs', 'images');
const SIZE = { width: 1200, height: 760 };

type Shot = {
  name: string;
  path: (samples: Samples) => string;
  scheme?: 'dark';
  /** Text of a button to press first. */
  press?: string;
  /** Text to click first. */
  open?: string;
};

const SHOTS: readonly Shot[] = [
  { name: 'dashboard-overview', path: () => '/overview' },
  { name: 'dashboard-mail', path: () => '/mail' },
  {
    name: 'dashboard-email',
    path: ({ waiting }) => `/mail/${waiting}`,
    open: 'Request and response',
  },
  { name: 'dashboard-html', path: ({ rich }) => `/mail/${rich}`, press: 'HTML', scheme: 'dark' },
  { name: 'dashboard-payload', path: ({ rich }) => `/mail/${rich}?view=payload` },
  { name: 'dashboard-address', path: ({ addressId }) => `/addresses/${addressId}` },
  { name: 'dashboard-domains', path: () => '/domains' },
  { name: 'dashboard-tokens', path: () => '/tokens', scheme: 'dark' },
];

const report = (line: string) => void process.stderr.write(`${line}\n`);

const browserPath = installedBrowser();
if (browserPath === undefined) {
  process.stderr.write('screenshots: install Chrome or Chromium, or set CHROME_BIN\n');
  process.exit(1);
}
await mkdir(IMAGES, { recursive: true });
const folder = await mkdtemp(join(tmpdir(), 'inlet-screenshots-'));
try {
  await using parts = new AsyncDisposableStack();
  const browser = await launchBrowser(browserPath);
  parts.defer(() => browser.close());
  const config = readConfig(StandaloneConfig, {
    INLET_DIR: folder,
    ...(process.env.INLET_CACHE && { INLET_CACHE: process.env.INLET_CACHE }),
    SMTP_PORT: '0',
    API_PORT: '0',
    RECEIVER_PORT: '0',
  });
  const samples = sampleData();
  const standalone = parts.use(
    await startStandalone(config, {
      env: process.env,
      serviceEnv: { ...samples.settings, RATE_LIMIT_PER_MINUTE: '100000' },
      report,
    }),
  );
  const state = standalone.state();
  const found = await samples.create(state, createApiClient(state.api_url, state.token));
  for (const shot of SHOTS) {
    const link = await createDashboardLink(state, '/');
    if (link === undefined) throw new Error('no dashboard');
    await photograph(browser, link, shot, found);
    report(`docs/images/${shot.name}.png`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exit(0);

async function photograph(
  browser: Browser,
  link: string,
  { name, path, scheme, press, open }: Shot,
  found: Samples,
): Promise<void> {
  const context = await browser.newContext({
    viewport: SIZE,
    colorScheme: scheme ?? 'light',
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  });
  const page = await context.newPage();
  const url = new URL(link);
  const screen = new URL(path(found), url);
  url.pathname = `/dashboard${screen.pathname}`;
  url.search = screen.search;
  await page.goto(url.href);
  await page.locator('main h1').waitFor();
  while ((await page.locator('.skeleton').count()) > 0) await page.waitForTimeout(50);
  if (press) await page.getByRole('button', { name: press, exact: true }).click();
  if (open) await page.getByText(open).first().click();
  await page.waitForTimeout(2_000); // frames have no state to wait for
  await page.screenshot({ path: join(IMAGES, `${name}.png`) });
  await context.close();
}
