/**
 * Starts nats-server on the loopback interface. JetStream syncs every message to disk before it
 * acknowledges it.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { startProcess, type ChildProcess, type OnSpawn } from './child-process.ts';
import { freePort } from './ports.ts';

const HOST = '127.0.0.1';
const START_TIMEOUT_MS = 30_000;
const MAX_PAYLOAD_BYTES = 8 * 1024 * 1024;

export type NatsServerOptions = {
  binary: string;
  dataDir: string;
  /** Absent: its log is part of the output of this process. */
  logFile?: string | undefined;
  /** 0 or absent for any free port. */
  port?: number;
  onSpawn?: OnSpawn;
  /** Further settings of the `jetstream` block, such as `{ max_file_store: '10MB' }`. */
  jetstream?: Readonly<Record<string, string | number>>;
  /** Further top-level settings. */
  server?: Readonly<Record<string, string | number>>;
};

export type NatsServer = ChildProcess & { url: string; port: number };

export async function startNatsServer(options: NatsServerOptions): Promise<NatsServer> {
  const port = options.port || (await freePort());
  const configFile = join(options.dataDir, 'nats-server.conf');
  await mkdir(dirname(configFile), { recursive: true });
  await writeFile(configFile, configText(options, port));
  const child = await startProcess({
    name: 'nats-server',
    command: options.binary,
    args: ['--config', configFile],
    env: {},
    logFile: options.logFile,
    onSpawn: options.onSpawn,
  });
  try {
    await child.announced(
      (line) => (line.includes('Server is ready') ? true : undefined),
      START_TIMEOUT_MS,
    );
  } catch (error) {
    await child.stop();
    throw error;
  }
  return { ...child, port, url: `nats://${HOST}:${port}` };
}

function configText({ dataDir, jetstream, server }: NatsServerOptions, port: number): string {
  const lines = Object.entries({
    listen: `"${HOST}:${port}"`,
    max_payload: MAX_PAYLOAD_BYTES,
    ...server,
  });
  const block = Object.entries({
    store_dir: JSON.stringify(join(dataDir, 'jetstream')),
    sync_interval: 'always',
    ...jetstream,
  });
  const settings = lines.map(setting).join('\n');
  return `${settings}\njetstream {\n${block.map((entry) => `  ${setting(entry)}`).join('\n')}\n}\n`;
}

const setting = ([name, value]: [string, string | number]) => `${name}: ${value}`;
