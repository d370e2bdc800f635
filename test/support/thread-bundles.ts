/**
 * Worker threads of services start from one file, as in the image (Dockerfile), which takes half of
 * the CPU time. global-setup.ts makes the bundles of the run; this file, which runs before each test
 * file, starts threads from them.
 */
import { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import workerThreads, { type WorkerOptions } from 'node:worker_threads';

import { inject } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A folder with a bundle for each file that services run in a thread. */
    threadBundles: string;
  }
}

const CHECKOUT = join(import.meta.dirname, '..', '..');
const { Worker } = workerThreads;

/** The bundle of a file of services or of test/fixtures. Without servers, the file itself. */
function bundleOf(file: string | URL): string | URL {
  const folder = inject('threadBundles') as string | undefined;
  if (folder === undefined || !(file instanceof URL) || file.protocol !== 'file:') return file;
  const path = relative(CHECKOUT, fileURLToPath(file)).replace(/\.ts$/, '.bundle.mjs');
  const bundle = join(folder, path);
  return existsSync(bundle) ? pathToFileURL(bundle) : file;
}

/** The same for a test that gives the file to a service. It runs with servers. */
export const threadBundle = (file: URL): URL => bundleOf(file) as URL;

class BundledWorker extends Worker {
  constructor(file: string | URL, options?: WorkerOptions) {
    super(bundleOf(file), options);
  }
}

// the test files of a process share its modules
if (Worker.name !== BundledWorker.name) {
  workerThreads.Worker = BundledWorker;
  syncBuiltinESMExports();
}
