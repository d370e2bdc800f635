#!/usr/bin/env node
// `kubectl-inlet` in a checkout, which kubectl runs for `kubectl inlet`. See inlet.mjs.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = join(fileURLToPath(new URL('..', import.meta.url)), 'cli', 'kubernetes', 'main.ts');
process.argv.splice(2, 0, 'node', main);
await import('./launch.mjs');
