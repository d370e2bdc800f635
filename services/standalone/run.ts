/**
 * All of `npm start`: starts Inlet, sends a sample email, prints how to use it, and waits for
 * Ctrl-C.
 */
import { join } from 'node:path';

import type { StandaloneConfig } from './config.ts';
import { createDashboardLink } from './dashboard-link.ts';
import { createSampleMail } from './sample-mail.ts';
import { readyText, webhookText } from './screen.ts';
import { startStandalone } from './standalone.ts';

export type Terminal = {
  env: NodeJS.ProcessEnv;
  write: (text: string) => void;
  /** Resolves with the name of the signal that asks to stop. */
  stopAsked: Promise<string>;
  onReady: () => void;
};

export async function runStandalone(
  config: StandaloneConfig,
  { env, write, stopAsked, onReady }: Terminal,
): Promise<void> {
  const startedMs = Date.now();
  const report = (line: string) =>
    write(`[${((Date.now() - startedMs) / 1000).toFixed(1).padStart(6)} s] ${line}\n`);
  const sample = createSampleMail();
  await using standalone = await startStandalone(config, {
    env,
    report,
    onWebhook: (webhook) => {
      write(`\n${webhookText(webhook)}\n`);
      sample.note(webhook);
    },
  });
  onReady();
  report('sending a sample email');
  const dispatcherLog = join(standalone.dataDir, 'logs', 'dispatcher.log');
  const eventId = await sample.send(standalone.state(), dispatcherLog);
  const dashboard = await createDashboardLink(standalone.state(), `/mail/${eventId}`);
  const hasOwnDir = Boolean(env.INLET_DIR);
  write(readyText(standalone.state(), { dataDir: standalone.dataDir, hasOwnDir, dashboard }));
  report(`stopping (${await stopAsked})`);
}
