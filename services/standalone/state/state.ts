/**
 * `standalone.json` in the data folder: how to reach this Inlet, for `npm run send`, scripts and
 * tests. It contains the token, so only its owner can read it.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import { readIfThere, writeWhole } from './whole-file.ts';

export const StandaloneState = z.object({
  api_url: z.string().describe('with /v1'),
  token: z.string(),
  smtp_host: z.string(),
  smtp_port: z.number(),
  address: z.string().describe('the first address, whose webhooks go to the demo receiver'),
  receiver_url: z.string().optional().describe('of the demo receiver; absent in production'),
  ca_file: z
    .string()
    .describe('PEM file of the authority that signed the certificate of npm start'),
  smtp_ca_file: z
    .string()
    .optional()
    .describe('the same file; absent when the gateway has another certificate (TLS_CERT_FILE)'),
  test_domains: z
    .object({
      key_file: z.string().describe('PEM file of the private DKIM key of all test domains'),
      selector: z.string().describe('of that key'),
      genuine_helo: z.string().describe('the HELO name that SPF of the test domains accepts'),
      other_helo: z.string().describe('one that it does not accept'),
    })
    .optional()
    .describe('how to send authentic email from domains below .test; absent with DNS_SERVERS'),
  webhook_ca_file: z
    .string()
    .optional()
    .describe('PEM file of the private authorities that receivers may use: ours and yours'),
  nats_url: z.string(),
  mongodb_uri: z.string(),
  metrics_urls: z.record(z.string(), z.string()).describe('by service'),
  pids: z
    .record(z.string(), z.number())
    .describe('of npm start and of each program that it started'),
});
export type StandaloneState = z.infer<typeof StandaloneState>;

const FILE = 'standalone.json';

export const writeState = (dataDir: string, state: StandaloneState) =>
  writeWhole(join(dataDir, FILE), `${JSON.stringify(state, undefined, 2)}\n`);

export const removeState = (dataDir: string) => rm(join(dataDir, FILE), { force: true });

/** @throws one sentence if Inlet is not running there */
export async function readState(dataDir: string): Promise<StandaloneState> {
  const text = await readIfThere(join(dataDir, FILE));
  if (text === undefined)
    throw new Error(`Inlet is not running in ${dataDir}: start it with \`npm start\``);
  return StandaloneState.parse(JSON.parse(text));
}
