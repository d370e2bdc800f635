/** Bundles the files that services run in threads, as the Dockerfile does. */
import { globSync } from 'node:fs';
import { join } from 'node:path';

import { build } from 'esbuild';

const CHECKOUT = join(import.meta.dirname, '..', '..');
const WORKERS = ['services/**/*-worker.ts', 'test/fixtures/*-worker.ts'];
/** For packages that are not ES modules. */
const REQUIRE = `const require = (await import('node:module')).createRequire(import.meta.url);`;

/** @param outdir gets a bundle for each file, at the same path */
export async function makeThreadBundles(outdir: string): Promise<void> {
  await build({
    absWorkingDir: CHECKOUT,
    entryPoints: globSync(WORKERS, { cwd: CHECKOUT }),
    bundle: true,
    minifyWhitespace: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    banner: { js: REQUIRE },
    outdir,
    outbase: '.',
    outExtension: { '.js': '.bundle.mjs' },
    logLevel: 'error',
  });
}
