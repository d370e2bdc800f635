/** The bundles of the image's worker threads start: the Dockerfile says how they are made. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

import { createThread } from '../../../services/adapters/threads/thread.ts';
import type * as jobs from '../../../services/api/content/content-jobs.ts';
import { EXAMPLE_PAYLOAD } from '../../../services/core/webhook/example.ts';
import { testDir } from '../../support/servers.ts';

const run = promisify(execFile);
const CHECKOUT = join(import.meta.dirname, '../../..');

test('each file of jobs that a service starts is bundled, and a bundle works', async () => {
  await using dir = await testDir();
  const dockerfile = await readFile(join(CHECKOUT, 'Dockerfile'), 'utf8');
  const [, command = ''] =
    /^RUN (node_modules\/\.bin\/esbuild [^]*?) \\\n && /m.exec(dockerfile) ?? [];
  const files = command.match(/services\/\S+\.ts/g) ?? [];
  const { stdout } = await run('grep', ['-rl', 'serveJobs(', 'services', '--include=*.ts'], {
    cwd: CHECKOUT,
  });
  const workers = stdout.trim().split('\n');
  expect(files.toSorted()).toEqual(
    workers.filter((file) => file !== 'services/adapters/threads/serve-jobs.ts').toSorted(),
  );
  await cp(join(CHECKOUT, 'services'), join(dir.path, 'services'), {
    recursive: true,
    filter: (path) => !path.includes('/dashboard'),
  });
  await symlink(join(CHECKOUT, 'node_modules'), join(dir.path, 'node_modules'));
  await run('sh', ['-c', command.replace('--outdir=/threads', `--outdir=${dir.path}`)], {
    cwd: dir.path,
  });
  const bundles = files.map((file) => join(dir.path, file.replace(/\.ts$/, '.bundle.mjs')));
  expect(bundles.filter((file) => !existsSync(file))).toEqual([]);
  const bundle = bundles.find((file) => file.includes('/api/')) ?? '';
  await using thread = createThread<typeof jobs>(pathToFileURL(bundle), undefined);
  const payload = new TextEncoder().encode(JSON.stringify(EXAMPLE_PAYLOAD));
  expect(await thread.run('view', payload)).toMatchObject({ event_id: EXAMPLE_PAYLOAD.event_id });
});
