/**
 * Connections to receivers through the operator's proxy: CONNECT to an address that was checked, so
 * that the proxy resolves no name, and TLS with the receiver inside (D50).
 */
import { request as requestOverTcp } from 'node:http';
import { request as requestOverTls } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { buildConnector } from 'undici';

import { addressLimitMs } from '../../core/network/deadlines.ts';
import { connectOptions } from '../dns/sockets.ts';

type ProxyOptions = {
  /** With user name and password, if the proxy wants them. */
  url: string;
  /** Resolves and checks the names of receivers. */
  lookup: LookupFunction;
  timeoutMs: number;
  /** Certificate authorities of a proxy with https. */
  ca: readonly string[];
};

/** Why there is no connection, in words for tenants, who must not see where the proxy is. */
export class ProxyFailed extends Error {
  override readonly name = 'ProxyFailed';
  /** For the log only. */
  readonly detail: string;

  constructor(message: string, detail: string) {
    super(message);
    this.detail = detail;
  }
}

/** A proxy may be unable to use IPv6, so another address of the receiver is tried. */
const ADDRESSES_MAX = 4;

/** @param connect starts TLS on the tunnel */
export function throughProxy(
  connect: buildConnector.connector,
  { url, lookup, timeoutMs, ca }: ProxyOptions,
): buildConnector.connector {
  const openTunnel = createTunnels(new URL(url), ca);

  const open = async (hostname: string, port: string): Promise<Socket> => {
    const deadline = performance.now() + timeoutMs;
    const addresses = (await resolved(hostname, lookup)).slice(0, ADDRESSES_MAX);
    let refusal: ProxyFailed | undefined;
    for (const address of addresses) {
      const leftMs = Math.max(1, Math.ceil(deadline - performance.now()));
      const withinMs = address === addresses.at(-1) ? leftMs : addressLimitMs(leftMs);
      const opened = await openTunnel(address, Number(port) || 443, withinMs);
      if (!(opened instanceof ProxyFailed)) return opened;
      refusal = opened;
    }
    throw refusal ?? new Error(`${hostname} has no address`);
  };

  return function connectThroughProxy(options, callback) {
    open(options.hostname, options.port).then(
      (httpSocket) => connect({ ...options, httpSocket }, callback),
      (error: Error) => callback(error, null),
    );
  };
}

/** A literal address needs no lookup: parsed-url.ts has checked it. */
async function resolved(hostname: string, lookup: LookupFunction): Promise<string[]> {
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal)) return [literal];
  return new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, found) => {
      if (error) return reject(error);
      resolve(Array.isArray(found) ? found.map(({ address }) => address) : [found]);
    });
  });
}

function createTunnels(proxy: URL, ca: readonly string[]) {
  const { protocol, hostname, port, username, password } = proxy;
  const credentials = [username, password].map(decodeURIComponent).join(':');
  const authorization = username !== '' && {
    'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}`,
  };
  const request = protocol === 'https:' ? requestOverTls : requestOverTcp;
  const unreachable = (detail: string) =>
    new ProxyFailed('the egress proxy of Inlet cannot be reached', `${proxy.host}: ${detail}`);

  /**
   * Resolves with the refusal when another address could succeed.
   * @throws ProxyFailed when the connection to the proxy fails
   */
  return (address: string, targetPort: number, timeoutMs: number): Promise<Socket | ProxyFailed> =>
    new Promise((resolve, reject) => {
      const authority = `${isIP(address) === 6 ? `[${address}]` : address}:${targetPort}`;
      const tunnel = request({
        host: hostname.replace(/^\[|\]$/g, ''),
        ...(port !== '' && { port }),
        method: 'CONNECT',
        path: authority,
        headers: { host: authority, ...authorization },
        agent: false,
        ...connectOptions(timeoutMs),
        ...(ca.length > 0 && { ca: [...ca] }),
      });
      const timer = setTimeout(() => {
        resolve(unreachable(`no response within ${timeoutMs / 1000} s`));
        tunnel.destroy();
      }, timeoutMs);
      tunnel.once('connect', ({ statusCode = 0 }, socket: Socket, head) => {
        clearTimeout(timer);
        if (statusCode >= 200 && statusCode < 300) {
          if (head.byteLength > 0) socket.unshift(head);
          return resolve(socket);
        }
        socket.destroy();
        resolve(
          new ProxyFailed(
            `the egress proxy of Inlet did not connect to the receiver (status ${statusCode})`,
            `${proxy.host} responded with ${statusCode} to CONNECT ${authority}`,
          ),
        );
      });
      tunnel.once('error', (error) => {
        clearTimeout(timer);
        reject(unreachable(error.message));
      });
      tunnel.end();
    });
}
