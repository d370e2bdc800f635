/** `npm start` from beginning to end: starts the assembly, sends the sample mail, shows what there is, and waits to be stopped. */
import { join } from 'node:path';

import type { StandaloneConfig } from './config.ts';
import { createSampleMail } from './sample-mail.ts';
import { readyText, webhookText } from './screen.ts';
import { startStandalone } from './standalone.ts';

export type Terminal = {
  env: NodeJS.ProcessEnv;
  write: (text: string) => void;
  /** Resolves when the user asks to stop. */
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
  report('sending the sample mail');
  await sample.send(standalone.state(), join(standalone.dataDir, 'logs', 'dispatcher.log'));
  write(readyText(standalone.state()));
  report(`stopping (${await stopAsked})`);
}
