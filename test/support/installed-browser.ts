/** Where machines have Chrome or Chromium. */
import { existsSync } from 'node:fs';

import { type Browser, chromium, type LaunchOptions } from 'playwright-core';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** CHROME_BIN, or the first that exists. */
export const installedBrowser = (): string | undefined =>
  [process.env.CHROME_BIN ?? '', ...PLACES].find((path) => path !== '' && existsSync(path));

type Options = Pick<LaunchOptions, 'proxy' | 'args'> & { env?: Record<string, string> };

export const launchBrowser = (
  path: string,
  { args = [], env = {}, ...options }: Options = {},
): Promise<Browser> =>
  chromium.launch({
    executablePath: path,
    env: { ...process.env, ...env },
    // the sandbox of Chrome refuses root, which containers run tests as
    chromiumSandbox: process.getuid?.() !== 0,
    args: ['--disable-dev-shm-usage', ...args],
    ...options,
  });
