/** The ports of the gateway: SMTP for everybody, LMTP for servers in its networks, with one certificate. */
import { hostname } from 'node:os';

import type { Log } from '../adapters/process/log.ts';
import { reloadCertificate, readCertificate } from '../adapters/tls/certificate-reload.ts';
import type { createCertificateMetrics } from '../adapters/tls/certificate-gauges.ts';
import { createCheckConnection } from './policy/connection-check.ts';
import { noSourceLimits } from './policy/source-limits.ts';
import type { GatewayConfig } from './process/config.ts';
import type { GatewayConstants } from './process/constants.ts';
import type { ByteBudget } from './receive/memory-budget.ts';
import type { MemoryPool } from './receive/memory-pool.ts';
import { listenSmtp, type SmtpHandlers, type SmtpListener } from './smtp/server.ts';

type ListenerDependencies = {
  handlers: Omit<SmtpHandlers, 'checkConnection'>;
  checks: Parameters<typeof createCheckConnection>[0];
  memory: ByteBudget;
  memoryPool: MemoryPool;
  certificateMetrics: ReturnType<typeof createCertificateMetrics>;
  clock: () => Date;
  /** They end with these. */
  parts: AsyncDisposableStack;
};

export async function startListeners(
  config: GatewayConfig,
  constants: GatewayConstants,
  { handlers, checks, memory, memoryPool, certificateMetrics, clock, parts }: ListenerDependencies,
  log: Log,
): Promise<{ smtp: SmtpListener; lmtp?: SmtpListener }> {
  const certificate = await readCertificate(config.TLS_CERT_FILE, config.TLS_KEY_FILE);
  const options = {
    host: config.SMTP_HOST,
    hostname: config.SMTP_HOSTNAME ?? hostname(),
    tls: certificate?.pair,
    tlsMinVersion: config.TLS_MIN_VERSION,
    proxyNetworks: config.PROXY_PROTOCOL_NETWORKS,
    proxyTimeoutMs: constants.proxyHeaderMs,
    maxMessageBytes: config.MAX_MESSAGE_BYTES,
    memory,
    memoryPool,
    maxRecipients: constants.maxRecipients,
    maxRcptCommands: constants.maxRcptCommands,
    maxConnections: config.MAX_CONNECTIONS,
    idleTimeoutMs: constants.idleMs,
    dataTimeoutMs: constants.dataMs,
    mailTimeoutMs: constants.mailMs,
    replyTimeoutMs: constants.replyMs,
    requiresTls: config.SMTP_REQUIRE_TLS,
    stopGraceMs: config.SMTP_STOP_GRACE,
  };
  const smtp = parts.use(
    await listenSmtp(
      { ...options, port: config.SMTP_PORT, lmtpNetworks: undefined },
      { ...handlers, checkConnection: createCheckConnection(checks) },
      clock,
      log,
    ),
  );
  // a server of ours is not limited as its senders would be, and is on no blocklist
  const trusted = { limiter: noSourceLimits, askBlocklists: () => Promise.resolve(undefined) };
  const lmtp =
    config.LMTP_PORT === undefined
      ? undefined
      : parts.use(
          await listenSmtp(
            {
              ...options,
              port: config.LMTP_PORT,
              lmtpNetworks: config.LMTP_NETWORKS,
              requiresTls: false,
            },
            { ...handlers, checkConnection: createCheckConnection({ ...checks, ...trusted }) },
            clock,
            log,
          ),
        );
  if (certificate)
    parts.use(
      reloadCertificate(
        certificate,
        constants.certificateCheckMs,
        (pair) => {
          smtp.useCertificate(pair);
          lmtp?.useCertificate(pair);
        },
        certificateMetrics,
        log,
      ),
    );
  return { smtp, ...(lmtp && { lmtp }) };
}
