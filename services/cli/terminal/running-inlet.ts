/**
 * Finds the Inlet that `npm start` runs on this machine, by the file `standalone.json` in its data
 * folder. The file decides where tokens and emails are sent, and may be in a folder of somebody
 * else: only one that `npm start` of this user wrote is used, and only for this machine.
 */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
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
  /** How to send authentic email from domains below `.test`. Absent with DNS_SERVERS of the user. */
  test_domains?: { key_file: string; selector: string; genuine_helo: string; other_helo: string };
  /** The authorities of receivers: npm start's own, and those in WEBHOOK_CA_FILE. */
  webhook_ca_file?: string;
  nats_url: string;
  mongodb_uri: string;
  /** By service. */
  metrics_urls: Record<string, string>;
  pids: Record<string, number>;
  /** Folder of the file, with keys and certificates. */
  dataDir: string;
};

type TerminalFacts = Pick<Terminal, 'env' | 'cwd' | 'checkout' | 'complain'>;

/** INLET_DIR, else `.inlet` in this folder or one above it, else `.inlet` in the checkout. */
export async function findRunningInlet(terminal: TerminalFacts): Promise<RunningInlet | undefined> {
  for (const dataDir of dataDirs(terminal)) {
    const file = join(dataDir, 'standalone.json');
    try {
      const running = await readRunning(file);
      if (running !== undefined) return { ...running, dataDir };
    } catch (error) {
      if (!(error instanceof Distrusted)) throw error;
      terminal.complain(`ignored ${file}: ${error.message}\n`);
    }
  }
  return undefined;
}

function dataDirs({ env, cwd, checkout }: TerminalFacts): string[] {
  if (env.INLET_DIR) return [resolve(checkout ?? cwd, env.INLET_DIR)];
  const folders = [cwd];
  for (let folder = cwd; dirname(folder) !== folder;) folders.push((folder = dirname(folder)));
  if (checkout !== undefined) folders.push(checkout);
  return folders.map((folder) => join(folder, '.inlet'));
}

class Distrusted extends Error {
  override readonly name = 'Distrusted';
}

type State = Omit<RunningInlet, 'dataDir'>;

/**
 * Undefined without a file, or for one that a killed `npm start` left behind.
 * @throws Distrusted if somebody else may have written it
 */
async function readRunning(file: string): Promise<State | undefined> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK; // a FIFO would block
  const opened = await open(file, flags).catch(() => undefined);
  if (opened === undefined) return undefined;
  await using handle = opened;
  await requireOwn(handle);
  const state = parsed(await handle.readFile('utf8'));
  if (state === undefined || !isAlive(state.pids.standalone)) return undefined;
  if (!isLoopback(new URL(state.api_url).hostname) || !isLoopback(state.smtp_host))
    throw new Distrusted('it names servers that are not on this machine');
  return state;
}

/** Refuses files of other users, as git does (safe.directory). Not checked on Windows. */
async function requireOwn(handle: FileHandle): Promise<void> {
  const { uid, mode } = await handle.stat();
  const own = process.getuid?.();
  if (own === undefined) return;
  if (uid !== own) throw new Distrusted('it belongs to another user');
  if ((mode & 0o077) !== 0)
    throw new Distrusted(`others may use it (mode ${(mode & 0o777).toString(8)}, needs 600)`);
}

function parsed(text: string): State | undefined {
  try {
    const state = JSON.parse(text) as State;
    return URL.canParse(state.api_url) && Number(state.pids.standalone) > 0 ? state : undefined;
  } catch {
    return undefined;
  }
}

/** A process of another user is not the `npm start` that wrote the file. */
function isAlive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
