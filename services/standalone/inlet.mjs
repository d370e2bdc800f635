#!/usr/bin/env node
// `npm exec inlet` in a checkout. Like launch.mjs, it runs on the Node of the user, and the command
// itself runs on the pinned Node 24.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = join(fileURLToPath(new URL('..', import.meta.url)), 'cli', 'main.ts');
process.argv.splice(2, 0, 'node', main);
await import('./launch.mjs');
