/**
 * The assembly of the API: connections, operations, endpoints, jobs, server. Tests call the same
 * function.
 */
import { accountIndexes, createAccounts } from '../adapters/mongo/accounts/accounts.ts';
import { createAddressAnnouncer } from '../platform/address-directory.ts';
import { createTargetLookup } from '../adapters/mongo/addresses/address-lookup.ts';
import { createAttemptTraces } from '../platform/attempt-trace.ts';
import { createAddressOperations } from '../platform/address-operations.ts';
import { createAddresses } from '../adapters/mongo/addresses/addresses.ts';
import { addressIndexes } from '../adapters/mongo/documents/address-documents.ts';
import { createAudit } from '../platform/audit.ts';
import { createCertificateMetrics } from '../adapters/tls/certificate-gauges.ts';
import { dashboardLinkIndexes } from '../adapters/mongo/sessions/dashboard-links.ts';
import { createDeliveries } from '../adapters/mongo/deliveries/deliveries.ts';
import {
  deliveryIndexes,
  notificationDeliveryIndexes,
} from '../adapters/mongo/documents/delivery-documents.ts';
import { createDns } from '../adapters/dns/resolver.ts';
import { createDomainLookup } from '../adapters/dns/domain-records.ts';
import { createDomainOperations } from '../platform/domain-operations.ts';
import { createDomains } from '../adapters/mongo/addresses/domains.ts';
import { domainIndexes } from '../adapters/mongo/documents/domain-documents.ts';
import { createIdempotencyKeys, idempotencyIndexes } from '../adapters/mongo/limits/idempotency.ts';
import { invoicePdf } from './billing/invoice-pdf.ts';
import { invoiceLinkKey } from '../core/signed-link.ts';
import { createInvoices, invoiceIndexes } from '../adapters/mongo/accounts/invoices.ts';
import { reloadCertificate, readCertificate } from '../adapters/tls/certificate-reload.ts';
import type { Log } from '../adapters/process/log.ts';
import { createReplayStore, openMailStreams } from '../adapters/stream/replay.ts';
import { notificationIndexes } from '../adapters/mongo/documents/notification-documents.ts';
import { openMongo, ensureIndexes } from '../adapters/mongo/connection.ts';
import { createNamedAddresses } from '../adapters/mongo/addresses/address-claims.ts';
import { connectNats, natsOptions } from '../adapters/stream/connection.ts';
import { createRegistry, serveObservability } from '../adapters/process/observe.ts';
import { readPlans } from '../platform/settings/plans.ts';
import {
  createRateWindows,
  type RateLimits,
  rateWindowIndexes,
} from '../adapters/mongo/limits/rate-windows.ts';
import { createCredentialCache } from '../platform/credential-cache.ts';
import { createCredentialRevision } from '../adapters/mongo/accounts/credential-revision.ts';
import { createSecretBox } from '../adapters/mongo/secrets.ts';
import { startTracing } from '../adapters/tracing/tracing.ts';
import type { Service } from '../adapters/process/service-process.ts';
import { sessionIndexes } from '../adapters/mongo/sessions/sessions.ts';
import { createSubscriptions } from '../adapters/mongo/accounts/subscriptions.ts';
import { createSweeps } from '../adapters/process/sweeps.ts';
import { createTokens, tokenIndexes, type TokenUse } from '../adapters/mongo/accounts/tokens.ts';
import { createCountUsage, usageIndexes } from '../adapters/mongo/usage/counters.ts';
import { createUsageEventList } from '../adapters/mongo/audit/event-list.ts';
import { createUsageEvents, usageEventIndexes } from '../adapters/mongo/audit/events.ts';
import { createReadUsage } from '../adapters/mongo/usage/usage.ts';
import { createReadUsageSeries } from '../adapters/mongo/usage/usage-series.ts';
import { webhookOptions } from '../platform/settings/webhooks.ts';
import { createWebhooks } from '../adapters/http/webhook.ts';
import { accountEndpoints } from './account/account-endpoints.ts';
import { addressEndpoints } from './addresses/address-endpoints.ts';
import { createAuthorize } from './http/authorize.ts';
import { createApp } from './app.ts';
import { createAuthentication, createTokenCredentials } from './http/authentication.ts';
import { billingEndpoints } from './billing/billing-endpoints.ts';
import type { ApiConfig } from './config.ts';
import { readDashboardSite } from './sites/dashboard-site.ts';
import { createDocsSite } from './sites/docs-site.ts';
import { deliveryEndpoints } from './deliveries/delivery-endpoints.ts';
import { erasureEndpoint } from './deliveries/erasure-endpoint.ts';
import { domainEndpoints } from './addresses/domain-endpoints.ts';
import { emailEndpoints } from './deliveries/email-endpoints.ts';
import { fileEndpoints } from './deliveries/file-endpoints.ts';
import { createDownloads } from './http/limits/downloads.ts';
import { createHealth } from './http/health.ts';
import { createFailureLimit } from './http/limits/failure-limit.ts';
import { createRequestLimits } from './http/limits/request-limits.ts';
import { startJobs } from './jobs/assembly.ts';
import { createApiMetrics } from './metrics.ts';
import { createRunIdempotently } from './http/idempotency.ts';
import { createReachableStore } from './deliveries/store-for-api.ts';
import { assembleNotifications } from './notifications/assembly.ts';
import { createReplays } from './deliveries/replays.ts';
import { serveHttp } from './http/server.ts';
import { assembleSessions } from './sessions/assembly.ts';
import { assembleStream } from './stream/assembly.ts';
import { tokenEndpoints } from './account/token-endpoints.ts';
import { usageEndpoints } from './billing/usage-endpoints.ts';
import { createTestWebhook } from './addresses/webhook-tests.ts';
import { webhookSecretEndpoint } from './addresses/webhook-secret-endpoint.ts';

const INDEXES = [
  accountIndexes,
  addressIndexes,
  dashboardLinkIndexes,
  deliveryIndexes,
  domainIndexes,
  idempotencyIndexes,
  invoiceIndexes,
  notificationDeliveryIndexes,
  notificationIndexes,
  rateWindowIndexes,
  sessionIndexes,
  tokenIndexes,
  usageEventIndexes,
  usageIndexes,
];
const clock = () => new Date();

export async function startApi(config: ApiConfig, log: Log): Promise<Service> {
  await using parts = new AsyncDisposableStack();
  const mongo = parts.use(await openMongo(config, log));
  const nats = parts.use(await connectNats(natsOptions(config, 'inlet-api'), log));
  const registry = createRegistry('api', { nats: nats.isConnected, mongodb: mongo.isConnected });
  const health = createHealth({ mongo, nats });
  const { isReady } = health;
  const metricsAt = { host: config.METRICS_HOST, port: config.METRICS_PORT };
  const observability = parts.use(
    await serveObservability({ ...metricsAt, registry, isReady }, log),
  );
  await ensureIndexes(mongo.db, INDEXES, { log });

  const accounts = createAccounts(mongo.db);
  const tokens = createTokens(mongo.db);
  const subscriptions = createSubscriptions(mongo.db);
  const events = createUsageEvents(mongo.db);
  const audit = createAudit(events, log);
  const billing = {
    subscriptions,
    countUsage: createCountUsage(mongo.db),
    invoices: createInvoices(mongo.db),
    plans: await readPlans(config),
  };
  const secrets = createSecretBox(config.SECRET_KEYS);
  const addresses = createAddresses(mongo.db, secrets);
  const domains = createDomains(mongo.db);
  const dns = parts.use(
    createDns({ servers: config.DNS_SERVERS, timeoutMs: config.DNS_TIMEOUT, cacheTtlMs: 0 }),
  ); // no cache: a customer who has just set a record expects it to be found
  const domainOperations = createDomainOperations({
    domains,
    look: createDomainLookup(dns),
    audit,
    inboundDomain: config.INBOUND_DOMAIN,
  });
  const announce = createAddressAnnouncer(nats);
  const operations = createAddressOperations(
    {
      accounts,
      addresses,
      domains,
      named: createNamedAddresses(mongo.db, addresses),
      nats,
      announce,
      inboundDomain: config.INBOUND_DOMAIN,
      rotationOverlapMs: config.SECRET_ROTATION_OVERLAP,
    },
    log,
  );

  const webhooks = parts.use(createWebhooks(await webhookOptions(config)));
  const target = createTargetLookup(mongo.db, secrets);
  const tracing = parts.use(await startTracing(config, 'api', registry, log));
  const beginTrace = createAttemptTraces(tracing);
  const testWebhook = createTestWebhook({ webhooks, beginTrace }, log);

  const mailStreams = await openMailStreams(nats);
  const store = createReachableStore(createReplayStore(mailStreams), nats, clock);
  const deliveries = createDeliveries(mongo.db);
  const replays = createReplays({ deliveries, store, rate: config.REPLAY_RATE, clock });
  const ofNotifications = {
    mongo,
    secrets,
    nats,
    announce,
    audit,
    events,
    billing,
    deliveries,
    store,
  };
  const notifications = assembleNotifications(
    { ...ofNotifications, streams: mailStreams, target, testWebhook },
    config,
    log,
  );

  const metrics = createApiMetrics(registry);
  const tokenCache = parts.use(
    createCredentialCache<TokenUse>(nats, createCredentialRevision(mongo.db), log),
  );
  const perToken = {
    perHour: config.RATE_LIMIT_PER_HOUR,
    perMinute: config.RATE_LIMIT_PER_MINUTE,
  };
  const perSession = {
    perHour: config.SESSION_RATE_LIMIT_PER_HOUR,
    perMinute: config.SESSION_RATE_LIMIT_PER_MINUTE,
  };
  const limitsOf = (limits: RateLimits) =>
    parts.use(createRequestLimits(createRateWindows(mongo.db, limits), limits, log));
  const failures = createFailureLimit({ perMinute: config.AUTH_FAILURES_PER_MINUTE });
  const needs = { db: mongo.db, accounts, tokens, audit, failures, clock, log };
  const sessions = assembleSessions(config, needs);
  const authenticate = createAuthentication({
    credentials: [
      createTokenCredentials(tokens, tokenCache, clock, log),
      sessions.credentials.read,
    ],
    lastKnown: (key) => tokenCache.lastKnown(key)?.identity ?? sessions.credentials.lastKnown(key),
    failures,
    trustedProxies: config.TRUSTED_PROXIES,
  });
  const authorize = createAuthorize(authenticate, limitsOf(perToken), limitsOf(perSession));
  const ofStream = { db: mongo.db, streams: mailStreams, addresses, authenticate };
  const stream = parts.use(assembleStream(config, ofStream, log));
  const downloads = createDownloads();
  const app = createApp({
    endpoints: [
      ...addressEndpoints({
        operations,
        addresses,
        audit,
        testWebhook,
        target,
        allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
        offersFiles: config.LINK_KEYS !== undefined,
      }),
      webhookSecretEndpoint({ addresses, target, audit }),
      ...domainEndpoints({
        operations: domainOperations,
        domains,
        mxHosts: config.MX_HOSTS ?? [config.INBOUND_DOMAIN],
      }),
      ...deliveryEndpoints({ deliveries, replays, store, audit, downloads }),
      erasureEndpoint({ deliveries, store, audit }),
      ...emailEndpoints({ deliveries, store, target, downloads }),
      ...notifications.endpoints,
      ...accountEndpoints({ accounts, audit }),
      ...tokenEndpoints({ tokens, audit, announce: tokenCache.announceChange }),
      ...sessions.endpoints,
      ...stream.endpoints,
      ...usageEndpoints({
        subscriptions,
        readUsage: createReadUsage(mongo.db),
        readSeries: createReadUsageSeries(mongo.db),
        pageOfEvents: createUsageEventList(mongo.db),
        eventsRetentionMs: config.EVENTS_RETENTION,
      }),
      ...billingEndpoints({
        ...billing,
        renderPdf: invoicePdf,
        linkKeys: config.SECRET_KEYS.map(invoiceLinkKey),
        publicUrl: config.PUBLIC_API_URL,
        requiresHttps: config.REQUIRE_HTTPS,
      }),
      ...fileEndpoints({ store, keys: config.LINK_KEYS ?? [], downloads }),
    ],
    guards: {
      authorize,
      runIdempotently: createRunIdempotently(createIdempotencyKeys(mongo.db, secrets), clock, log),
      trustedProxies: config.TRUSTED_PROXIES,
    },
    requireHttps: config.REQUIRE_HTTPS,
    stallTimeoutMs: config.STALL_TIMEOUT,
    trustedProxies: config.TRUSTED_PROXIES,
    health,
    docs: createDocsSite(),
    dashboard: config.DASHBOARD ? await readDashboardSite(config.DASHBOARD_DIR) : undefined,
    metrics,
    tracing,
    log,
  });
  const certificate = await readCertificate(config.API_TLS_CERT_FILE, config.API_TLS_KEY_FILE);
  const server = parts.use(
    await serveHttp(app, { host: config.API_HOST, port: config.API_PORT, tls: certificate?.pair }),
  );
  const certificateMetrics = createCertificateMetrics(registry);
  if (certificate)
    parts.use(
      reloadCertificate(
        certificate,
        config.TLS_RELOAD_INTERVAL,
        server.useCertificate,
        certificateMetrics,
        log,
      ),
    );
  const startSweep = createSweeps(registry, clock, log);
  const ofJobs = { mongo, announce, billing, domainOperations, sessions, events, metrics };
  for (const job of startJobs({ ...ofJobs, startSweep }, config, log)) parts.use(job);
  for (const job of notifications.start(startSweep)) parts.use(job);
  parts.defer(() => stream.hub.end());
  parts.use(health.serve()); // disposed first, so that load balancers stop sending requests
  const started = parts.move();
  return {
    announce: { api_port: server.port, metrics_port: observability.port },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
