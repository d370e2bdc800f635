/**
 * The pools of connections to receivers: one for all, and one for each receiver that has a client
 * certificate or is a Service of the cluster.
 */
import { hash } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { createSecureContext, getCACertificates } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { Agent, buildConnector } from 'undici';

import { HTTP_POOL } from '../../core/network/deadlines.ts';
import { networkRefusal, serviceRefusal } from '../../core/network/public-network.ts';
import { lookUpHost } from '../dns/name-servers.ts';
import { connectOptions } from '../dns/sockets.ts';
import { checkedLookup } from './checked-lookup.ts';
import { throughProxy } from './proxy-tunnel.ts';
import { readingResponses } from './response-socket.ts';

export type AgentOptions = {
  timeoutMs: number;
  /** CIDR ranges that are allowed although they are not public. */
  allowedNetworks: readonly string[];
  /** PEM of certificate authorities to trust in addition to the system's. */
  extraCa?: readonly string[] | undefined;
  /** A proxy that all connections go through, except those to Services. */
  proxyUrl?: string | undefined;
  /** An idle connection closes after this time, whatever the receiver's Keep-Alive header asks for. */
  idleMaxMs?: number;
  /** Bytes of a response; by default some times what is read of the response to a webhook. */
  responseMaxBytes?: number;
  /** Resolves names; tests replace it. */
  lookup?: LookupFunction;
};

/** What a receiver's connections need beyond the usual. */
export type ConnectionOptions = {
  clientCertificate?: { certificate: string; private_key: string } | undefined;
  /** A Service of the cluster. Its certificate is of `ca` (PEM); null for the usual authorities. */
  service?: { ca: string | null } | undefined;
};

type Agents = AsyncDisposable & { agentFor(needs?: ConnectionOptions): Agent };

/** Each holds idle connections for some seconds, and a TLS context. */
const OWN_AGENTS_MAX = 500;

const RESPONSE_HEADERS_MAX_BYTES = 16 * 1024;

export function createAgents({
  timeoutMs,
  allowedNetworks,
  extraCa = [],
  proxyUrl,
  idleMaxMs = HTTP_POOL.keepAliveMaxTimeout,
  responseMaxBytes,
  lookup = lookUpHost,
}: AgentOptions): Agents {
  const usualCa = [...getCACertificates('default'), ...extraCa];
  const usualContext = createSecureContext({ ca: usualCa });
  const publicOnly = checkedLookup(lookup, (address) => networkRefusal(address, allowedNetworks));
  const alsoServices = checkedLookup(lookup, (address) => serviceRefusal(address, allowedNetworks));

  function createAgent({ clientCertificate, service }: ConnectionOptions): Agent {
    const isUsual = clientCertificate === undefined && (service?.ca ?? null) === null;
    const direct = buildConnector({
      ...connectOptions(timeoutMs),
      lookup: service ? alsoServices : publicOnly,
      timeout: timeoutMs,
      secureContext: isUsual
        ? usualContext
        : createSecureContext({
            ca: service?.ca ?? usualCa,
            ...(clientCertificate && {
              cert: clientCertificate.certificate,
              key: clientCertificate.private_key,
            }),
          }),
      // HTTP/1.1 with keep-alive takes half to two thirds of the CPU of HTTP/2 (measured), and bounds
      // the response headers.
      allowH2: false,
    });
    const connect =
      proxyUrl === undefined || service
        ? direct
        : throughProxy(direct, { url: proxyUrl, lookup: publicOnly, timeoutMs, ca: usualCa });
    return new Agent({
      connect: readingResponses(connect, responseMaxBytes),
      allowH2: false,
      maxHeaderSize: RESPONSE_HEADERS_MAX_BYTES,
      ...HTTP_POOL, // `exchange` limits the whole attempt
      keepAliveMaxTimeout: idleMaxMs,
    });
  }

  const usual = createAgent({});
  const own = new LRUCache<string, Agent>({
    max: OWN_AGENTS_MAX,
    dispose: (agent) => void agent.close(), // after its requests in flight
  });

  function agentFor(needs?: ConnectionOptions): Agent {
    if (!needs?.clientCertificate && !needs?.service) return usual;
    const { clientCertificate, service } = needs;
    const key = hash('sha256', JSON.stringify([clientCertificate, service]));
    const known = own.get(key);
    if (known) return known;
    const agent = createAgent(needs);
    own.set(key, agent);
    return agent;
  }

  return {
    agentFor,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([usual, ...own.values()].map((agent) => agent.destroy()));
    },
  };
}
