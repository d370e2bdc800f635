/**
 * The assembly of the API: connections, operations, endpoints, jobs, server. Tests call the same
 * function.
 */
import { createAddressAnnouncer, createAnnouncements } from '../platform/address-directory.ts';
import { createAttemptTraces } from '../platform/attempt-trace.ts';
import { createAudit } from '../platform/audit.ts';
import { createBucketClient } from '../adapters/bucket/bucket-client.ts';
import { createBucketOperations } from '../platform/bucket/bucket-operations.ts';
import { createCertificateMetrics } from '../adapters/tls/certificate-gauges.ts';
import { invoicePdf } from './billing/invoice-pdf.ts';
import { invoiceLinkKey } from '../core/secret/signed-link.ts';
import { reloadCertificate, readCertificate } from '../adapters/tls/certificate-reload.ts';
import type { Log } from '../adapters/process/log.ts';
import { createKeysToOpen } from '../platform/content-keys.ts';
import { createReplayStore, openMailStreams } from '../adapters/stream/replay.ts';
import { ensureIndexes } from '../adapters/mongo/database/connection.ts';
import { createStoresWithSecrets, INDEXES } from '../adapters/mongo/stores.ts';
import { openBackends } from '../platform/servers/backends.ts';
import { readPlans } from '../platform/settings/plans.ts';
import { createSecretBox } from '../adapters/mongo/database/secrets.ts';
import { startTracing } from '../adapters/tracing/tracing.ts';
import type { Service } from '../adapters/process/service-process.ts';
import { createSweeps } from '../adapters/process/sweeps.ts';
import { webhookOptions } from '../platform/settings/webhooks.ts';
import { createWebhooks } from '../adapters/http/webhook.ts';
import { bucketEndpoints } from './bucket/bucket-endpoints.ts';
import { accountEndpoints } from './account/account-endpoints.ts';
import { createApp } from './app.ts';
import { billingEndpoints } from './billing/billing-endpoints.ts';
import type { ApiConfig } from './process/config.ts';
import { API_CONSTANTS, type ApiConstants } from './process/constants.ts';
import { readDashboardSite } from './sites/dashboard-site.ts';
import { createDocsSite } from './sites/docs-site.ts';
import { assembleDomains } from './domain/domain-assembly.ts';
import { createReceiverCalls } from '../platform/receiver/receiver-call.ts';
import { createRecordView, recordingViews } from './email/email-views.ts';
import { fileEndpoints } from './email/file-endpoints.ts';
import { createSlots, DOWNLOADS, SEARCHES } from './http/limits/slots.ts';
import { mongoResponds, respondToHealth } from './http/state/health.ts';
import { startJobs } from './jobs/assembly.ts';
import { assembleMcp } from './mcp/assembly.ts';
import { createApiMetrics } from './process/metrics.ts';
import { createRunIdempotently } from './http/idempotency.ts';
import { createContentThread } from './content/content-thread.ts';
import { storeForApi } from './content/store-for-api.ts';
import { assembleNotifications } from './notification/assembly.ts';
import { pullEndpoints } from './pull/pull-endpoints.ts';
import { serveHttp } from './http/server.ts';
import { assembleStream } from './stream/assembly.ts';
import { tokenEndpoints } from './token/token-endpoints.ts';
import { usageEndpoints } from './billing/usage-endpoints.ts';
import { createTestWebhook } from './receiver/webhook-tests.ts';
import { assembleAccess, proxiesOf } from './access.ts';
import { assembleAddresses } from './addresses.ts';
import { assembleEmails } from './emails.ts';

export async function startApi(
  config: ApiConfig,
  log: Log,
  constants: ApiConstants = API_CONSTANTS,
): Promise<Service> {
  await using parts = new AsyncDisposableStack();
  const secrets = createSecretBox(config.SECRET_KEYS);
  const backends = await openBackends(config, 'api', log, { isReady: mongoResponds, secrets });
  const { nats, mongo, meter, serving } = parts.use(backends);
  const clock = backends.clock.now;
  await ensureIndexes(mongo.db, Object.values(INDEXES), { log });
  const stores = createStoresWithSecrets(mongo.db, secrets);
  const { accounts, buckets, domains, tokens } = stores;
  const audit = createAudit(stores.events, log);
  const plans = await readPlans(config);
  const proxies = proxiesOf(config);
  const webhookSettings = await webhookOptions(config);
  const ofDomains = { domains, audit, proxies };
  const ownDomains = parts.use(assembleDomains(config, ofDomains, constants.dnsMs));
  const announce = createAddressAnnouncer(nats);
  const webhooks = parts.use(createWebhooks(webhookSettings));
  const tracing = parts.use(await startTracing(config, 'api', meter, log));
  const beginTrace = createAttemptTraces(tracing);
  const testWebhook = createTestWebhook(
    { webhooks, callReceiver: createReceiverCalls(webhooks, () => clock().getTime()), beginTrace },
    log,
  );
  const announcements = createAnnouncements(nats, announce);
  const mailStreams = await openMailStreams(nats);
  const keyOf = createKeysToOpen(nats, stores.accountKeys, log);
  const store = storeForApi(createReplayStore(mailStreams, keyOf), nats, clock);
  const notifications = assembleNotifications(
    { stores, streams: mailStreams, store, nats, announce, audit, plans, testWebhook },
    config,
    log,
  );

  const metrics = createApiMetrics(meter);
  const access = assembleAccess(config, constants, { stores, nats, audit, clock, parts }, log);
  const { sessions, recheckReach, announceTokens } = access;
  const downloads = createSlots(DOWNLOADS);
  const { heartbeatMs, watchers } = constants;
  const watching = { stores, store, downloads, clock, recheck: recheckReach, watchers };
  const stream = parts.use(assembleStream({ ...watching, heartbeatMs, streams: mailStreams }, log));
  const ofAddresses = { stores, nats, announce, audit, testWebhook };
  const { endpoints: addresses, one } = assembleAddresses(config, ofAddresses, log);
  const pull = pullEndpoints(config, { ...watching, one, metrics });
  const content = parts.use(createContentThread(metrics, log));
  const recordView = createRecordView(stores);
  const ofEmails = { stores, store, audit, downloads, content, clock };
  const all = [
    ...addresses,
    ...ownDomains.endpoints,
    ...assembleEmails(config, constants, ofEmails),
    ...notifications.endpoints,
    ...bucketEndpoints({
      operations: createBucketOperations({ buckets, announcements, audit }),
      buckets,
      openClient: () => createBucketClient(webhookSettings),
      allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
    }),
    ...accountEndpoints({ accounts, audit, allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS }),
    ...tokenEndpoints({ tokens, audit, announce: announceTokens }),
    ...sessions.endpoints,
    ...stream.endpoints,
    ...pull.endpoints,
    ...usageEndpoints({ ...stores, plans, eventsRetentionMs: config.EVENTS_RETENTION }),
    ...(config.BILLING
      ? billingEndpoints({
          ...stores,
          plans,
          renderPdf: (invoice) => invoicePdf(invoice, config.INVOICES),
          linkKeys: config.SECRET_KEYS.map(invoiceLinkKey),
          publicUrl: config.PUBLIC_API_URL,
          requiresHttps: config.REQUIRE_HTTPS,
        })
      : []),
    ...fileEndpoints({ store, keys: config.LINK_KEYS ?? [], downloads, content }),
  ];
  const endpoints = recordingViews(all, recordView);
  const guards = {
    authorize: access.authorize,
    runIdempotently: createRunIdempotently(stores.idempotencyKeys, clock, log),
    proxies,
    searches: createSlots(SEARCHES),
    clock,
  };
  const mcp = assembleMcp(
    config,
    { stores, store, downloads, content, endpoints, guards, audit, recordView },
    log,
  );
  const app = createApp({
    endpoints,
    guards,
    requireHttps: config.REQUIRE_HTTPS,
    stallTimeoutMs: constants.stallMs,
    trustedProxies: config.TRUSTED_PROXIES,
    health: respondToHealth(backends),
    policies: ownDomains.policies,
    docs: createDocsSite(),
    mcp,
    dashboard: config.DASHBOARD ? await readDashboardSite(config.DASHBOARD_DIR) : undefined,
    metrics,
    tracing,
    log,
  });
  const certificate = await readCertificate(config.API_TLS_CERT_FILE, config.API_TLS_KEY_FILE);
  const server = parts.use(
    await serveHttp(app, { host: config.API_HOST, port: config.API_PORT, tls: certificate?.pair }),
  );
  const certificateMetrics = createCertificateMetrics(meter);
  if (certificate)
    parts.use(
      reloadCertificate(
        certificate,
        constants.certificateCheckMs,
        server.useCertificate,
        certificateMetrics,
        log,
      ),
    );
  const startSweep = createSweeps(meter, clock, log);
  const { operations: domainOperations } = ownDomains;
  const ofJobs = { stores, announce, nats, plans, domainOperations, sessions, metrics, startSweep };
  for (const job of await startJobs(ofJobs, config, log)) parts.use(job);
  for (const job of notifications.start(startSweep)) parts.use(job);
  parts.defer(() => stream.hub.end());
  parts.use(pull);
  parts.use(serving.begin()); // disposed first, so that load balancers stop sending requests
  const started = parts.move();
  return {
    announce: { api_port: server.port, metrics_port: serving.port },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
