/** The gateway's assembly: SMTP in, events onto the stream. */
import { randomUUID } from 'node:crypto';
import { createKeyToSeal } from '../platform/content-keys.ts';
import { createListsInUse } from '../platform/list/lists-of-expressions.ts';
import { createDirectory, type Directory } from '../platform/address-directory.ts';
import { createCertificateMetrics } from '../adapters/tls/certificate-gauges.ts';
import type { Log } from '../adapters/process/log.ts';
import { createDns } from '../adapters/dns/resolver.ts';
import { ensureIndexes } from '../adapters/mongo/database/connection.ts';
import { createAccountKeys } from '../adapters/mongo/account/account-keys.ts';
import { createSecretBox, type SecretBox } from '../adapters/mongo/database/secrets.ts';
import { createStores, INDEXES } from '../adapters/mongo/stores.ts';
import { openBackends } from '../platform/servers/backends.ts';
import { natsOptions } from '../adapters/stream/connection/connection.ts';
import { readPlans } from '../platform/settings/plans.ts';
import { createAudit } from '../platform/audit.ts';
import { createQuotaLookup } from '../platform/account/quotas.ts';
import { createMailErasure } from '../adapters/stream/erase.ts';
import { startTracing } from '../adapters/tracing/tracing.ts';
import { readQueueFacts } from '../adapters/stream/facts.ts';
import { registerQueueGauges } from '../adapters/stream/gauges.ts';
import { collectGarbage } from '../adapters/process/memory.ts';
import type { Service } from '../adapters/process/service-process.ts';
import { createClamd } from '../adapters/clamd/clamd.ts';
import { createCountsExchange } from '../adapters/messages/gateway-counts.ts';
import { serveRoom } from '../adapters/stream/objects/make-room.ts';
import { ensureStreams } from '../adapters/stream/events/streams.ts';
import { createStorageRoom } from '../platform/servers/storage-room.ts';
import type { DomainRecord } from '../core/domain/domain.ts';
import type { SourceLimits } from '../core/smtp/source-limits.ts';
import type { GatewayConfig } from './process/config.ts';
import { GATEWAY_CONSTANTS, type GatewayConstants } from './process/constants.ts';
import { createAddressLimiter } from './policy/address-limits.ts';
import { createAskBlocklists } from './policy/dnsbl.ts';
import { createTraceAccepted } from './receive/accept-trace.ts';
import { createByteBudget } from './receive/memory-budget.ts';
import { createMemoryPool } from './receive/memory-pool.ts';
import { createGatewayMetrics } from './process/metrics.ts';
import { createAuthorAnswers } from './content/author-answers.ts';
import { type ContentThreads, createContentThreads } from './content/content-threads.ts';
import { receiveOptions } from './receive/receive-options.ts';
import { reportRepeats } from './receive/repeats.ts';
import { createAdmitRecipient, type Roles } from './policy/recipient.ts';
import { assembleRefusals } from './refusals/refusal-records.ts';
import type { SmtpListener } from './smtp/server.ts';
import { createCheckReply } from './policy/reply-check.ts';
import { createSourceLimiter, type SourceLimiter } from './policy/source-limits.ts';
import { startListeners } from './listeners.ts';

/** A source that guesses addresses all day gets a quarter of what its rate per minute would allow. */
const UNKNOWN_MINUTES_PER_HOUR = 15;

/** Hooks that a thread asks at the same time; each takes an SMTP connection. */
const HOOK_SLOTS = 64;

export async function startGateway(
  config: GatewayConfig,
  log: Log,
  constants: GatewayConstants = GATEWAY_CONSTANTS,
): Promise<Service> {
  await using parts = new AsyncDisposableStack();
  let content: ContentThreads | undefined;
  const secrets = secretsOf(config);
  const backends = parts.use(
    await openBackends(config, 'gateway', log, {
      secrets,
      isReady: (open) => open.nats.isConnected() && content?.isReady() === true,
    }),
  );
  const { nats, mongo, meter, serving } = backends;
  const clock = backends.clock.now;
  await ensureIndexes(
    mongo.db,
    [
      INDEXES.addresses,
      INDEXES.knownAuthors,
      INDEXES.receivers,
      INDEXES.domains,
      INDEXES.refusals,
      INDEXES.usage,
    ],
    { log },
  );
  const stores = createStores(mongo.db);
  const streams = await ensureStreams(nats, config, log);
  registerQueueGauges(meter, () => readQueueFacts(streams));
  serveRoom(nats.connection, createStorageRoom(streams, stores.deliveries, log).make, log);
  const tracing = parts.use(await startTracing(config, 'gateway', meter, log));
  let listeners: SmtpListener[] = [];
  let limiter: SourceLimiter | undefined;
  const clamd = config.CLAMD && createClamd(config.CLAMD);
  const metrics = createGatewayMetrics(meter, {
    openConnections: () => listeners.reduce((sum, listener) => sum + listener.openConnections(), 0),
    trackedSources: () => limiter?.trackedSources() ?? 0,
    namedAccounts: config.METRICS_ACCOUNTS,
    hasClamd: config.CLAMD !== undefined,
    signaturesBuiltAt: async () => clamd?.signaturesBuiltAt(),
  });
  const certificateMetrics = createCertificateMetrics(meter);

  const addresses = createDirectory(nats, ({ address }) => address, stores.recipients, log);
  const quotas = createDirectory(
    nats,
    () => '',
    createQuotaLookup(stores.subscriptions, stores.countUsage, await readPlans(config), clock),
    log,
  ); // by account, so no change of an address invalidates an entry
  const verified = createDirectory(
    nats,
    () => '',
    (domain) => stores.domains.covering(domain),
    log,
  );
  const lists = createDirectory(nats, ({ address }) => address, stores.senderLists.entriesOf, log);
  const admitRecipient = createAdmitRecipient(
    {
      addresses,
      quotas,
      listsInUse: createListsInUse((key) => lists.get(key)),
      keyToSeal: secrets && createKeyToSeal(nats, createAccountKeys(mongo.db, secrets), log),
      canWork: backends.readiness.canWork,
      checkReply: createCheckReply(config.REPLY_KEYS ?? []),
      roles: rolesOf(config, verified),
    },
    clock,
  );
  const refusals = parts.use(
    assembleRefusals(config, { db: mongo.db, addresses, metrics, clock }, log),
  );
  const gatewayId = randomUUID();
  const addressLimiter = parts.use(
    createAddressLimiter(createCountsExchange(nats, 'addresses', gatewayId, log), () =>
      performance.now(),
    ),
  );
  limiter = parts.use(
    createSourceLimiter(
      { limits: limitsOf(config), exemptNetworks: config.SOURCE_EXEMPT_NETWORKS },
      createCountsExchange(nats, 'sources', gatewayId, log),
      () => performance.now(),
    ),
  );
  const receiving = receiveOptions(config, constants);
  const dns = parts.use(createDns(receiving.dns));
  const askBlocklists = createAskBlocklists(
    config.DNSBL_ZONES,
    config.SOURCE_EXEMPT_NETWORKS,
    { dns, metrics },
    log,
  );
  const memory = createByteBudget(config.MAX_BYTES_IN_MEMORY);
  content = parts.use(
    createContentThreads(
      {
        nats: natsOptions(config, 'inlet-gateway-content'),
        partitions: config.PARTITIONS,
        receiving,
        hooks: { slots: HOOK_SLOTS, bytes: receiving.maxBytes / 2 }, // slow ones hold half
      },
      config.PARSE_TIMEOUT,
      {
        memory,
        metrics,
        authors: createAuthorAnswers(stores.knownAuthors, clock, log),
        isConnected: nats.isConnected,
        clock,
        log,
      },
    ),
  );
  await content.prepared();
  const receive = reportRepeats(addressLimiter.counted(content.receive), {
    audit: createAudit(stores.events, log),
    deliveries: stores.deliveries,
    contents: createMailErasure(streams),
  });
  const { smtp, lmtp } = await startListeners(
    config,
    constants,
    {
      handlers: {
        content: { receive, rulesAtRcpt: content.rulesAtRcpt },
        metrics,
        traceAccepted: tracing && createTraceAccepted(tracing, clock),
        recordRefusal: refusals.record,
      },
      checks: { limiter, addressLimiter, askBlocklists, admitRecipient, metrics },
      memory,
      memoryPool: createMemoryPool(config.MAX_MESSAGE_BYTES, memory, collectGarbage),
      certificateMetrics,
      clock,
      parts,
    },
    log,
  );
  listeners = lmtp ? [smtp, lmtp] : [smtp];
  parts.use(serving.begin());
  const announce = {
    smtp_port: smtp.port,
    ...(lmtp && { lmtp_port: lmtp.port }),
    metrics_port: serving.port,
  };
  const running = parts.move();
  return { announce, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

const limitsOf = (config: GatewayConfig): SourceLimits => ({
  open_connections: config.SOURCE_MAX_CONNECTIONS,
  connections_per_minute: config.SOURCE_CONNECTIONS_PER_MINUTE,
  messages_per_minute: config.SOURCE_MESSAGES_PER_MINUTE,
  unknown_per_minute: config.SOURCE_UNKNOWN_PER_MINUTE,
  unknown_per_hour: config.SOURCE_UNKNOWN_PER_MINUTE * UNKNOWN_MINUTES_PER_HOUR,
});

/** Undefined when contents are stored as they are. */
const secretsOf = ({ ENCRYPT_CONTENT, SECRET_KEYS = [] }: GatewayConfig): SecretBox | undefined =>
  ENCRYPT_CONTENT ? createSecretBox(SECRET_KEYS) : undefined;

/** The domain of ROLE_ADDRESS is the shared inbound domain. */
function rolesOf(
  { ROLE_ADDRESS: address }: GatewayConfig,
  verified: Directory<DomainRecord>,
): Roles | undefined {
  if (address === undefined) return undefined;
  return {
    address,
    serves: async (domain) =>
      address.endsWith(`@${domain}`) || (await verified.get(domain)) !== undefined,
  };
}
