/** The assembly of the API: connections, address operations, endpoints, server. Tests start it through the same function. */
import { accountIndexes, createAccounts } from '../adapters/accounts.ts';
import { createAddressAnnouncer } from '../adapters/address-directory.ts';
import { createTargetLookup } from '../adapters/address-lookup.ts';
import { createAddressOperations } from '../adapters/address-operations.ts';
import { addressIndexes, createAddresses } from '../adapters/addresses.ts';
import { createAudit } from '../adapters/audit.ts';
import { createCertificateMetrics } from '../adapters/certificate-gauges.ts';
import { deliveryIndexes } from '../adapters/deliveries.ts';
import { createDeliveryRecords } from '../adapters/delivery-records.ts';
import { createDns } from '../adapters/dns.ts';
import { createLookAtDomain } from '../adapters/domain-look.ts';
import { createDomainOperations } from '../adapters/domain-operations.ts';
import { createDomains, domainIndexes } from '../adapters/domains.ts';
import { createTellExpired } from '../adapters/expired-addresses.ts';
import { createFailingAddresses } from '../adapters/failing-addresses.ts';
import { createIdempotency, idempotencyIndexes } from '../adapters/idempotency.ts';
import { invoicePdf } from '../adapters/invoice-pdf.ts';
import { createInvoices, invoiceIndexes } from '../adapters/invoices.ts';
import { keepCertificate, readCertificate } from '../adapters/kept-certificate.ts';
import type { Log } from '../adapters/log.ts';
import { createMailStore, openKeptMail } from '../adapters/mail-store.ts';
import { parseMail } from '../adapters/mime.ts';
import { connectMongo, ensureIndexes } from '../adapters/mongo.ts';
import { createNamedAddresses } from '../adapters/named-addresses.ts';
import { connectNats, natsOptions } from '../adapters/nats.ts';
import { createRegistry, serveObservability } from '../adapters/observe.ts';
import { readPlans } from '../adapters/plan-settings.ts';
import {
  createFailureLimit,
  createRequestLimits,
  rateLimitIndexes,
} from '../adapters/rate-limits.ts';
import { createSecretBox } from '../adapters/secrets.ts';
import type { Service } from '../adapters/service-process.ts';
import { createSubscriptions } from '../adapters/subscriptions.ts';
import { createSweeps } from '../adapters/sweeps.ts';
import { createTokens, tokenIndexes } from '../adapters/tokens.ts';
import { createCountUsage, usageIndexes } from '../adapters/usage-counters.ts';
import { createUsageEventList } from '../adapters/usage-event-list.ts';
import { createUsageEvents, usageEventIndexes } from '../adapters/usage-events.ts';
import { createReadUsage } from '../adapters/usage.ts';
import { webhookOptions } from '../adapters/webhook-settings.ts';
import { createWebhooks } from '../adapters/webhook.ts';
import { accountEndpoints } from './account-endpoints.ts';
import { addressEndpoints } from './address-endpoints.ts';
import { createAdmit } from './admit.ts';
import { createApp } from './app.ts';
import { createAuthentication } from './authentication.ts';
import { billingEndpoints } from './billing-endpoints.ts';
import type { ApiConfig } from './config.ts';
import { deliveryEndpoints } from './delivery-endpoints.ts';
import { domainEndpoints } from './domain-endpoints.ts';
import { startFailingSweep } from './failing-sweep.ts';
import { fileEndpoints } from './file-endpoints.ts';
import { createHealth } from './health.ts';
import { startInvoiceSweep } from './invoice-sweep.ts';
import { createApiMetrics } from './metrics.ts';
import { createOnce } from './once.ts';
import { createReachableStore } from './reachable-store.ts';
import { createReplays } from './replays.ts';
import { serveHttp } from './server.ts';
import { tokenEndpoints } from './token-endpoints.ts';
import { usageEndpoints } from './usage-endpoints.ts';
import { createTestWebhook } from './webhook-tests.ts';

const clock = () => new Date();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Looks so far back: API processes may all have been away. */
const EXPIRY_TOLD_FOR_MS = 24 * HOUR_MS;

export async function startApi(config: ApiConfig, log: Log): Promise<Service> {
  await using parts = new AsyncDisposableStack();
  const mongo = parts.use(await connectMongo(config.MONGODB_URI, log));
  await ensureIndexes(mongo.db, [
    accountIndexes,
    addressIndexes,
    deliveryIndexes,
    domainIndexes,
    idempotencyIndexes,
    invoiceIndexes,
    rateLimitIndexes,
    tokenIndexes,
    usageEventIndexes,
    usageIndexes,
  ]);
  const nats = parts.use(await connectNats(natsOptions(config, 'inlet-api'), log));

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
  const domains = createDomains(mongo.client, mongo.db);
  const dns = parts.use(
    createDns({ servers: config.DNS_SERVERS, timeoutMs: config.DNS_TIMEOUT, cacheTtlMs: 0 }),
  ); // who has just set a record wants it to be seen
  const domainOperations = createDomainOperations({
    domains,
    look: createLookAtDomain(dns),
    audit,
    inboundDomain: config.INBOUND_DOMAIN,
  });
  const announce = createAddressAnnouncer(nats);
  const operations = createAddressOperations(
    {
      accounts,
      addresses,
      domains,
      named: createNamedAddresses(mongo.client, mongo.db, addresses),
      nats,
      announce,
      inboundDomain: config.INBOUND_DOMAIN,
      rotationOverlapMs: config.SECRET_ROTATION_OVERLAP,
    },
    log,
  );

  const webhooks = parts.use(createWebhooks(await webhookOptions(config)));
  const testWebhook = createTestWebhook({
    addresses,
    target: createTargetLookup(mongo.db, secrets),
    webhooks,
  });

  const store = createReachableStore(createMailStore(await openKeptMail(nats)), nats);
  const records = createDeliveryRecords(mongo.client, mongo.db);
  const replays = createReplays({ records, store, rate: config.REPLAY_RATE, clock });

  const health = createHealth({ mongo, nats });
  const registry = createRegistry('api', { nats: nats.isConnected, mongodb: mongo.isConnected });
  const metrics = createApiMetrics(registry);
  const observability = parts.use(
    await serveObservability(
      {
        host: config.METRICS_HOST,
        port: config.METRICS_PORT,
        registry,
        isReady: () => health.isReady(),
      },
      log,
    ),
  );
  const admit = createAdmit(
    createAuthentication(
      {
        tokens,
        failures: createFailureLimit({ perMinute: config.AUTH_FAILURES_PER_MINUTE }),
        trustedProxies: config.TRUSTED_PROXIES,
        clock,
      },
      log,
    ),
    createRequestLimits(mongo.client, mongo.db, {
      perHour: config.RATE_LIMIT_PER_HOUR,
      perMinute: config.RATE_LIMIT_PER_MINUTE,
    }),
  );
  const app = createApp({
    endpoints: [
      ...addressEndpoints({
        operations,
        addresses,
        audit,
        testWebhook,
        allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
        offersFiles: config.LINK_KEYS !== undefined,
      }),
      ...domainEndpoints({
        operations: domainOperations,
        domains,
        mxHosts: config.MX_HOSTS ?? [config.INBOUND_DOMAIN],
      }),
      ...deliveryEndpoints({ records, store, replays, audit }),
      ...accountEndpoints({ accounts, audit }),
      ...tokenEndpoints({ tokens, audit }),
      ...usageEndpoints({
        subscriptions,
        readUsage: createReadUsage(mongo.db),
        pageOfEvents: createUsageEventList(mongo.db),
        eventsKeptMs: config.EVENTS_RETENTION,
      }),
      ...billingEndpoints({
        ...billing,
        draw: invoicePdf,
        publicUrl: config.PUBLIC_API_URL,
        requiresHttps: config.REQUIRE_HTTPS,
      }),
      ...fileEndpoints({ store, parse: parseMail, keys: config.LINK_KEYS ?? [] }),
    ],
    door: { admit, once: createOnce(createIdempotency(mongo.db, secrets), clock, log) },
    requireHttps: config.REQUIRE_HTTPS,
    trustedProxies: config.TRUSTED_PROXIES,
    health,
    metrics,
    log,
  });
  const certificate = await readCertificate(config.API_TLS_CERT_FILE, config.API_TLS_KEY_FILE);
  const server = parts.use(
    await serveHttp(app, { host: config.API_HOST, port: config.API_PORT, tls: certificate?.pair }),
  );
  const certificateMetrics = createCertificateMetrics(registry);
  if (certificate)
    parts.use(
      keepCertificate(
        certificate,
        config.TLS_RELOAD_INTERVAL,
        server.useCertificate,
        certificateMetrics,
        log,
      ),
    );
  const startSweep = createSweeps(registry, clock, log);
  const failing = createFailingAddresses(mongo.client, mongo.db);
  const countFailing = async (now: Date) => {
    const { noticed, unnoticed } = await failing.count(now);
    metrics.failingAddresses.set({ noticed: 'true' }, noticed);
    metrics.failingAddresses.set({ noticed: 'false' }, unnoticed);
  };
  parts.use(startSweep('failing_count', MINUTE_MS, countFailing));
  parts.use(startFailingSweep({ failing, announce, startSweep }, config.FAILING_AFTER, log));
  parts.use(startInvoiceSweep({ ...billing, startSweep }, log));
  const tellExpired = createTellExpired(mongo.db);
  parts.use(
    startSweep('expired_addresses', MINUTE_MS, (now) =>
      tellExpired(new Date(now.getTime() - EXPIRY_TOLD_FOR_MS), now),
    ),
  );
  parts.use(startSweep('verified_domains', MINUTE_MS, (now) => domainOperations.lookAgain(now)));
  parts.use(
    startSweep('old_events', HOUR_MS, (now) =>
      events.removeBefore(new Date(now.getTime() - config.EVENTS_RETENTION)),
    ),
  );
  parts.defer(() => health.leave()); // first of all, so that a load balancer looks elsewhere

  const started = parts.move();
  return {
    announce: { api_port: server.port, metrics_port: observability.port },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
