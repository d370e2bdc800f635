/**
 * Finds the Inlet that `npm start` runs on this machine, by the file `standalone.json` in its data
 * folder.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

import type { Terminal } from './terminal.ts';

/** The fields of standalone.json that the commands use. */
export type RunningInlet = {
  api_url: string;
  token: string;
  smtp_host: string;
  smtp_port: number;
  /** An address whose webhooks are sent to the demo receiver. */
  address: string;
  receiver_url: string;
  ca_file: string;
  /** Absent when the certificate of the gateway is the user's. */
  smtp_ca_file?: string;
  /** The authorities of receivers: that of npm start, and those of WEBHOOK_CA_FILE. */
  webhook_ca_file?: string;
  nats_url: string;
  mongodb_uri: string;
  pids: Record<string, number>;
  /** Folder of the file, with keys and certificates. */
  dataDir: string;
};

/** INLET_DIR, else `.inlet` in this folder or one above it, else `.inlet` in the checkout. */
export async function findRunningInlet(
  terminal: Pick<Terminal, 'env' | 'cwd' | 'checkout'>,
): Promise<RunningInlet | undefined> {
  for (const dataDir of dataDirs(terminal)) {
    const running = await readRunning(dataDir);
    if (running !== undefined) return running;
  }
  return undefined;
}

function dataDirs({ env, cwd, checkout }: Pick<Terminal, 'env' | 'cwd' | 'checkout'>): string[] {
  if (env.INLET_DIR) return [resolve(checkout ?? cwd, env.INLET_DIR)];
  const folders = [cwd];
  for (let folder = cwd; dirname(folder) !== folder;) folders.push((folder = dirname(folder)));
  if (checkout !== undefined) folders.push(checkout);
  return folders.map((folder) => join(folder, '.inlet'));
}

/** A file that a killed `npm start` left behind does not count. */
async function readRunning(dataDir: string): Promise<RunningInlet | undefined> {
  const text = await readFile(join(dataDir, 'standalone.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const state = JSON.parse(text) as Omit<RunningInlet, 'dataDir'>;
    return isAlive(state.pids.standalone) ? { ...state, dataDir } : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // it runs as another user
  }
}
