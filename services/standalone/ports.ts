/** Which TCP ports of the loopback interface are free. */
import { once } from 'node:events';
import { createServer } from 'node:net';

const LOOPBACK = '127.0.0.1';

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  return bindBriefly(0, LOOPBACK);
}

/** @throws one sentence that names the port and the setting that chooses another, when something listens there already */
export async function requireFreePort(port: number, what: string, setting?: string, host = LOOPBACK): Promise<void> {
  if (port === 0) return;
  const fault = await bindBriefly(port, host).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  );
  if (fault === undefined) return;
  if (fault.code !== 'EADDRINUSE') throw new Error(`${what} cannot listen on port ${port}`, { cause: fault });
  const remedy = setting ? `stop what uses it, or choose another with ${setting} (0 = any free port)` : 'stop what uses it';
  throw new Error(`port ${port} for ${what} is in use: ${remedy}`);
}

async function bindBriefly(port: number, host: string): Promise<number> {
  const server = createServer().listen({ port, host, exclusive: true });
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : port;
}
