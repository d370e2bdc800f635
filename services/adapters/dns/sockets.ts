/**
 * How Inlet opens sockets: one policy for all of them (D292). The deadlines are in
 * core/network/deadlines.ts.
 */
import { once } from 'node:events';
import { connect, setDefaultAutoSelectFamilyAttemptTimeout, type Socket } from 'node:net';

import { addressLimitMs } from '../../core/network/deadlines.ts';
import { lookUpHost } from './name-servers.ts';

/** A host without the brackets of an IPv6 address in a URL, or a Unix socket. */
export type SocketTarget = { host: string; port: number } | { path: string };

/**
 * What Node and each library get that connects to a host: how it is looked up, and how long each of
 * its addresses may take.
 * @param timeoutMs of the whole connect, if it has a limit
 */
export const connectOptions = (timeoutMs?: number) => ({
  lookup: lookUpHost,
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: addressLimitMs(timeoutMs),
});

/**
 * For libraries that take no such options. Each program and each thread calls it at its start: Node
 * keeps the default of a thread apart.
 */
export const chooseSocketDefaults = (): void =>
  setDefaultAutoSelectFamilyAttemptTimeout(addressLimitMs());

/**
 * Opens a TCP connection. The caller handles its errors from then on.
 * @param signal destroys the socket, also later
 * @throws ETIMEDOUT after `timeoutMs`, the reason of `signal`, or what the system reports
 */
export async function openSocket(
  target: SocketTarget,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Socket> {
  signal?.throwIfAborted();
  const socket = connect({ ...target, ...connectOptions(timeoutMs), ...(signal && { signal }) });
  const timer = setTimeout(() => socket.destroy(timedOut(timeoutMs)), timeoutMs);
  try {
    await once(socket, 'connect');
    return socket;
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

const timedOut = (timeoutMs: number): Error =>
  Object.assign(new Error(`no connection within ${timeoutMs / 1_000} s`), { code: 'ETIMEDOUT' });
