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

type WantedPort = {
  port: number;
  what: string;
  /** Changes the port; undefined when nothing does. */
  setting?: string | undefined;
};

/** @throws one sentence with all ports that are in use, and the settings that change them */
export async function requireFreePorts(
  wanted: readonly WantedPort[],
  host = LOOPBACK,
): Promise<void> {
  const used: WantedPort[] = [];
  for (const one of wanted) {
    const fault = one.port === 0 ? undefined : await faultOfBinding(one.port, host);
    if (fault === undefined) continue;
    if (fault.code !== 'EADDRINUSE')
      throw new Error(`${one.what} cannot listen on port ${one.port}`, { cause: fault });
    used.push(one);
  }
  if (used.length === 0) return;
  const isOne = used.length === 1;
  const named = inWords(used.map(({ port, what }) => `port ${port} for ${what}`));
  const stop = isOne ? 'stop the program that uses it' : 'stop the programs that use them';
  const settings = used.flatMap(({ setting }) => setting ?? []);
  const other = isOne ? 'another port' : 'other ports';
  const set = `, or set ${inWords(settings)} to ${other} (0 for any free port)`;
  throw new Error(
    `${named} ${isOne ? 'is' : 'are'} in use: ${stop}${settings.length > 0 ? set : ''}`,
  );
}

const inWords = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

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
