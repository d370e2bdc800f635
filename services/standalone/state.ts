/** `standalone.json` in the data folder: how to reach what runs, for `npm run send`, scripts and tests. It holds the token: only its owner can read it. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import { readIfThere, writeWhole } from './whole-file.ts';

export const StandaloneState = z.object({
  api_url: z.string().describe('with /v1'),
  token: z.string(),
  smtp_host: z.string(),
  smtp_port: z.number(),
  address: z.string().describe("standalone's own address, whose webhooks go to the demo receiver"),
  receiver_url: z.string(),
  ca_file: z.string().describe('PEM of the authority behind STARTTLS and the receiver'),
  nats_url: z.string(),
  mongodb_uri: z.string(),
  metrics_urls: z.record(z.string(), z.string()).describe('by service'),
  pids: z
    .record(z.string(), z.number())
    .describe('by program; those that standalone started, and itself'),
});
export type StandaloneState = z.infer<typeof StandaloneState>;

const FILE = 'standalone.json';

export const writeState = (dataDir: string, state: StandaloneState) =>
  writeWhole(join(dataDir, FILE), `${JSON.stringify(state, undefined, 2)}\n`);

export const removeState = (dataDir: string) => rm(join(dataDir, FILE), { force: true });

/** @throws one sentence when nothing runs there */
export async function readState(dataDir: string): Promise<StandaloneState> {
  const text = await readIfThere(join(dataDir, FILE));
  if (text === undefined)
    throw new Error(`Inlet does not run in ${dataDir}: start it with \`npm start\``);
  return StandaloneState.parse(JSON.parse(text));
}
