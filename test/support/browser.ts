/**
 * A real browser for tests: an installed Chrome or Chromium, or Debian's chromium from apt. Without
 * either, tests that need it are skipped with a note, but never in CI.
 */
import { glob } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type { Browser, LaunchOptions } from 'playwright-core';

import { findWhereAptIs, unpackedPackages } from './debian-packages.ts';
import { installedBrowser, launchBrowser } from './installed-browser.ts';

const isCI = process.env.CI === '1' || process.env.CI === 'true';

/** Starts a browser of its own for a test file. */
export type OpenBrowser = (options?: Pick<LaunchOptions, 'proxy' | 'args'>) => Promise<Browser>;

/** Where the program of a browser is, and what its environment needs. */
export type BrowserProgram = { path: string; env?: Record<string, string> };

/** @returns undefined when this machine has no browser @throws in CI */
export async function findBrowserProgram(): Promise<BrowserProgram | undefined> {
  const path = installedBrowser();
  const found = path === undefined ? await findWhereAptIs('chromium', fromDebian) : { path };
  if (found === undefined && isCI)
    throw new Error('CI needs a browser: install Chrome, or set CHROME_BIN');
  return found;
}

/** @returns undefined when this machine has no browser @throws in CI */
export async function findBrowser(): Promise<OpenBrowser | undefined> {
  const found = await findBrowserProgram();
  if (found === undefined) return undefined;
  return (options = {}) =>
    launchBrowser(found.path, { ...options, ...(found.env && { env: found.env }) });
}

const PROGRAM = 'usr/lib/chromium/chromium';

async function fromDebian(): Promise<BrowserProgram> {
  const folder = await unpackedPackages(['chromium', 'fonts-liberation'], PROGRAM);
  // some are in folders of their own, such as usr/lib/x86_64-linux-gnu/pulseaudio
  const libraries = await Array.fromAsync(glob('usr/lib/**/*.so*', { cwd: folder }));
  const folders = new Set(libraries.map((library) => join(folder, dirname(library))));
  const env = { LD_LIBRARY_PATH: [...folders].join(':') };
  return { path: join(folder, PROGRAM), env };
}
