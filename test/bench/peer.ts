/** Another program to measure next to Inlet: it takes email by SMTP and posts it, in any format. */
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import {
  type ChildProcess,
  startProcess,
} from '../../services/standalone/processes/child-process.ts';
import { freePort } from '../../services/standalone/processes/ports.ts';
import type { System } from './bed.ts';

const START_TIMEOUT_MS = 30_000;

type Options = {
  /** For `sh`. It should `exec` the program, whose CPU and memory are those of the process. */
  command: string;
  /** Of the receiver. */
  url: string;
  caFile: string;
  dir: string;
  env: NodeJS.ProcessEnv;
};

/** @throws when nothing accepts connections on its port in time */
export async function startPeer({
  command,
  url,
  caFile,
  dir,
  env,
}: Options): Promise<ChildProcess & Pick<System, 'port' | 'processes'>> {
  const port = await freePort();
  const ownDir = join(dir, 'peer');
  await mkdir(ownDir, { recursive: true });
  const logFile = join(dir, 'peer.log');
  const child = await startProcess({
    name: 'peer',
    command: '/bin/sh',
    args: ['-c', command],
    env: {
      ...env,
      PEER_PORT: String(port),
      PEER_DIR: ownDir,
      WEBHOOK_URL: url,
      NODE_EXTRA_CA_CERTS: caFile,
      SSL_CERT_FILE: caFile,
    },
    logFile,
  });
  const deadlineMs = Date.now() + START_TIMEOUT_MS;
  while (!(await accepts(port))) {
    if (Date.now() > deadlineMs || child.hasExited()) {
      const last = await child.tail();
      await child.stop();
      throw new Error(`the peer does not listen on port ${port}: ${last.join('\n')}`);
    }
    await sleep(100);
  }
  return { ...child, port, processes: { peer: child.pid } };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
