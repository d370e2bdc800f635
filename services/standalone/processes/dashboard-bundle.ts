/** Bundles the dashboard for the API of `npm start`, in a process of its own. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { causeChain } from '../../adapters/process/log.ts';
import type { Report } from '../fetch/binaries.ts';
import { secondsSince } from './backends.ts';
import { startProcess } from './child-process.ts';

const BUNDLER = fileURLToPath(new URL('../../dashboard/bundle/main.ts', import.meta.url));

/**
 * @returns the setting that names the folder; nothing when bundling fails: everything but the
 * dashboard then works
 */
export async function bundleDashboard(
  dataDir: string,
  env: NodeJS.ProcessEnv,
  report: Report,
): Promise<{ DASHBOARD_DIR?: string }> {
  const folder = join(dataDir, 'dashboard');
  const startedMs = Date.now();
  try {
    const bundler = await startProcess({
      name: 'dashboard bundler',
      command: process.execPath,
      args: [BUNDLER, folder],
      env,
      logFile: join(dataDir, 'logs', 'dashboard.log'),
    });
    const { code } = await bundler.exited;
    if (code !== 0) throw new Error((await bundler.tail()).join('\n'));
  } catch (error) {
    report(`no dashboard, because it could not be bundled: ${causeChain(error)}`);
    return {};
  }
  report(`dashboard is bundled (${secondsSince(startedMs)})`);
  return { DASHBOARD_DIR: folder };
}
