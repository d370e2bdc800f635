/** Finds free TCP ports on the loopback interface. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ListenOptions, type Server } from 'node:net';

const LOOPBACK = '127.0.0.1';

const FIRST_PORT = 18_000;
const LAST_PORT = 31_999;
const MOST_TRIES = 50;

/**
 * A free port, which no other call returns as long as this process runs: no call of this process and,
 * on Linux, of no other one. So servers that start at the same time get different ports. It is below
 * 32768, where the ports for outgoing connections begin: one of those could take the port while its
 * server restarts.
 */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries++) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
    const fault = (await faultOfReserving(port)) ?? (await faultOfBinding(port, LOOPBACK));
    if (fault === undefined) return port;
    if (tries === MOST_TRIES) throw new Error('found no free port', { cause: fault });
  }
}

const reserved = new Set<number>();

/** By an abstract socket of that name, which ends with this process. Only Linux has them. */
async function faultOfReserving(port: number): Promise<Error | undefined> {
  if (reserved.has(port)) return new Error(`port ${port} is reserved`);
  reserved.add(port);
  if (process.platform !== 'linux') return undefined;
  const socket = createServer().unref();
  return faultOfListening(socket, { path: `\0inlet-port-${port}` });
}

/** @throws one sentence with the port and the setting that changes it, if the port is in use */
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
    ? `stop the program that uses it, or set ${setting} to another port (0 for any free port)`
    : 'stop the program that uses it';
  throw new Error(`port ${port} for ${what} is in use: ${remedy}`);
}

async function faultOfBinding(
  port: number,
  host: string,
): Promise<NodeJS.ErrnoException | undefined> {
  const server = createServer();
  const fault = await faultOfListening(server, { port, host, exclusive: true });
  if (fault !== undefined) return fault;
  server.close();
  await once(server, 'close');
  return undefined;
}

async function faultOfListening(
  server: Server,
  options: ListenOptions,
): Promise<NodeJS.ErrnoException | undefined> {
  server.listen(options);
  try {
    await once(server, 'listening');
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
  return undefined;
}
