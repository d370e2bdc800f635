/** A proxy that adds a token to each request, for programs that cannot send one. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** @param target URL of the server, such as `http://127.0.0.1:8080` */
export async function startAuthorizingProxy(
  target: string,
  token: string,
): Promise<AsyncDisposable & { url: string }> {
  const proxy = createServer((incoming, response) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const forwarded = request(new URL(incoming.url ?? '/', target), {
      method: incoming.method,
      headers,
    });
    forwarded.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve());
        proxy.closeAllConnections();
      }),
  };
}
