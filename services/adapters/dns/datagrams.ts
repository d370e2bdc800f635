/**
 * Questions and answers over UDP: the only door to node:dgram (D293). A lost route, a closed socket
 * or a forged port rejects a promise here. In a callback of the socket it would end the process.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

/**
 * Answers each datagram that arrives. An answer that cannot be sent is lost, as any datagram may be:
 * the client asks again.
 * @param answer undefined for none
 * @throws when the port cannot be bound
 */
export async function answerDatagrams(
  port: number,
  host: string,
  answer: (request: Buffer) => Promise<Buffer | undefined>,
): Promise<AsyncDisposable> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  const respond = async (request: Buffer, to: { port: number; address: string }) => {
    const response = await answer(request);
    if (response) socket.send(response, to.port, to.address, () => undefined);
  };
  socket.on('message', (request, client) => {
    respond(request, client).catch(() => undefined);
  });
  socket.bind(port, host);
  try {
    await once(socket, 'listening');
  } catch (error) {
    socket.close();
    throw error;
  }
  socket.on('error', () => undefined); // of one datagram
  return {
    [Symbol.asyncDispose]: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}

/**
 * Sends one datagram and waits for its answer. Others that arrive are ignored.
 * @throws when there is no route, the port is closed, or no answer arrives in time
 */
export async function askDatagram(
  request: Buffer,
  { host, port }: { host: string; port: number },
  { timeoutMs, isAnswer }: { timeoutMs: number; isAnswer: (response: Buffer) => boolean },
): Promise<Buffer> {
  const signal = AbortSignal.timeout(timeoutMs);
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  socket.on('error', () => undefined); // `once` rejects
  try {
    socket.connect(port, host);
    await once(socket, 'connect', { signal });
    socket.send(request);
    for (;;) {
      const [response] = (await once(socket, 'message', { signal })) as [Buffer];
      if (isAnswer(response)) return response;
    }
  } finally {
    socket.close();
  }
}
