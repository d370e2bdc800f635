/**
 * All of `npm start`: starts Inlet, sends a sample email, prints how to use it, and waits for
 * Ctrl-C. In production it sends nothing, and logs.
 */
import { join } from 'node:path';

import { z } from 'zod';

import { createLog } from '../adapters/process/log.ts';
import { type ApiClient, createApiClient } from './round-trip/api-client.ts';
import type { StandaloneConfig } from './settings/config.ts';
import { createDashboardLink } from './dashboard-link.ts';
import { fillDemo } from './demo/demo.ts';
import { createSampleMail } from './sample-mail.ts';
import { createWebhookTexts, firstStartText, readyText } from './screen.ts';
import { startStandalone } from './standalone.ts';

type Terminal = {
  env: NodeJS.ProcessEnv;
  write: (text: string) => void;
  /** Resolves with the name of the signal that asks to stop. */
  stopAsked: Promise<string>;
  onReady: () => void;
  /** Fills the account with emails in every state. */
  isDemo?: boolean;
  isProduction?: boolean;
};

export async function runStandalone(
  config: StandaloneConfig,
  { env, write, stopAsked, onReady, isDemo = false, isProduction = false }: Terminal,
): Promise<void> {
  const startedMs = Date.now();
  const log = createLog('info', { service: 'standalone' });
  const report = (message: string) =>
    isProduction
      ? log.info('standalone.reported', { message })
      : write(`[${((Date.now() - startedMs) / 1000).toFixed(1).padStart(6)} s] ${message}\n`);
  const sample = createSampleMail();
  const textOf = createWebhookTexts();
  let isQuiet = false; // while the demo arrives
  await using standalone = await startStandalone(config, {
    env,
    report,
    isProduction,
    onWebhook: (webhook) => {
      const text = isQuiet ? undefined : textOf(webhook);
      if (text !== undefined) write(text);
      sample.note(webhook);
    },
  });
  onReady();
  const state = standalone.state();
  if (isProduction) {
    if (standalone.isFirst)
      write(firstStartText(state, { dashboard: await createDashboardLink(state), env }));
    report(`ready after ${((Date.now() - startedMs) / 1000).toFixed(1)} s`);
    return report(`stopping (${await stopAsked})`);
  }
  const api = createApiClient(state.api_url, state.token);
  const isFirst = await hasNoMail(api);
  if (isFirst) report('sending a sample email');
  const dispatcherLog = join(standalone.dataDir, 'logs', 'dispatcher.log');
  const shown = isFirst ? `/mail/${await sample.send(state, dispatcherLog)}` : '/overview';
  if (isDemo) {
    report('filling the account with emails in every state');
    isQuiet = true;
    const sent = await fillDemo(state, api);
    report(sent === 0 ? 'the demo was there already' : `sent ${sent} emails of the demo`);
  }
  const dashboard = await createDashboardLink(state, isDemo ? '/overview' : shown);
  const hasOwnDir = Boolean(env.INLET_DIR);
  const { dataDir } = standalone;
  write(readyText(state, { dataDir, hasOwnDir, dashboard, isFirst: isFirst && !isDemo }));
  report(`stopping (${await stopAsked})`);
}

const Deliveries = z.object({ data: z.array(z.unknown()) });

/** The first start sends an email; later ones find it in the list. */
const hasNoMail = async (api: ApiClient): Promise<boolean> =>
  Deliveries.parse((await api('GET', '/deliveries?limit=1')).body).data.length === 0;
