#!/usr/bin/env node
/** `inlet`, as the checkout and the image run it. `inlet admin` needs the packages of the servers. */
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

import { VERSION } from '../core/version.ts';
import { runInlet } from './program.ts';

const EXIT_GRACE_MS = 300;
const DEFAULT_COLUMNS = 80;

const stop = new AbortController();
process.on('SIGINT', () => stop.abort()).on('SIGTERM', () => stop.abort());

process.exitCode = await runInlet(
  process.argv.slice(2),
  {
    env: process.env,
    cwd: process.cwd(),
    checkout: join(import.meta.dirname, '..', '..'),
    write: (text) => process.stdout.write(text),
    complain: (text) => process.stderr.write(text),
    readInput: () => buffer(process.stdin),
    isInteractive: process.stdout.isTTY,
    columns: process.stdout.columns || DEFAULT_COLUMNS,
    stopped: stop.signal,
  },
  VERSION,
);
// a DNS lookup in progress, for example, cannot be canceled
setTimeout(() => process.exit(), EXIT_GRACE_MS).unref();
