/** Which TCP ports of the loopback interface are free. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

const LOOPBACK = '127.0.0.1';

const FIRST_PORT = 18_000;
const LAST_PORT = 31_999;
const MOST_TRIES = 50;

/**
 * A port that was free a moment ago. Not one of those that the system gives to outgoing connections (from 32768 on): one of these could take it
 * while its server restarts.
 */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries++) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
    const fault = await faultOfBinding(port, LOOPBACK);
    if (fault === undefined) return port;
    if (tries === MOST_TRIES) throw new Error('no free port was found', { cause: fault });
  }
}

/** @throws one sentence that names the port and the setting that chooses another, when something listens there already */
export async function requireFreePort(
  port: number,
  what: string,
  setting?: string,
  host = LOOPBACK,
): Promise<void> {
  if (port === 0) return;
  const fault = await faultOfBinding(port, host);
  if (fault === undefined) return;
  if (fault.code !== 'EADDRINUSE')
    throw new Error(`${what} cannot listen on port ${port}`, { cause: fault });
  const remedy = setting
    ? `stop what uses it, or choose another with ${setting} (0 = any free port)`
    : 'stop what uses it';
  throw new Error(`port ${port} for ${what} is in use: ${remedy}`);
}

async function faultOfBinding(
  port: number,
  host: string,
): Promise<NodeJS.ErrnoException | undefined> {
  const server = createServer().listen({ port, host, exclusive: true });
  try {
    await once(server, 'listening');
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
  server.close();
  await once(server, 'close');
  return undefined;
}
