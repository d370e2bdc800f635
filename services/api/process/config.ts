/** Settings of the API. */
import { z } from 'zod';

import { AddressConfig } from '../../platform/settings/addresses.ts';
import {
  BACKUP_TOGETHER,
  BackupConfig,
  backupIsWhole,
  BACKUPS_NEED_BUCKET,
  backupsHaveBucket,
} from '../../platform/settings/backups.ts';
import { CommonConfig, Flag, Json, Port, WholeNumber } from '../../adapters/process/config.ts';
import { DnsConfig } from '../../adapters/dns/resolver.ts';
import {
  AUDIT_LOGS_TOGETHER,
  AuditLogConfig,
  auditLogsAreWhole,
  TracingConfig,
} from '../../adapters/tracing/tracing.ts';
import { IntakeConfig } from '../../adapters/smtp/lmtp-client.ts';
import { ContentConfig } from '../../platform/settings/content.ts';
import { LinkConfig, LINKS_TOGETHER, linksAreWhole } from '../../platform/settings/links.ts';
import { MongoConfig } from '../../adapters/mongo/database/connection.ts';
import { NatsConfig } from '../../adapters/stream/connection/connection.ts';
import { PlanConfig } from '../../platform/settings/plans.ts';
import {
  RECORDS_OUTLIVE_CONTENTS,
  RecordsConfig,
  recordsOutliveContents,
} from '../../platform/settings/records.ts';
import { SearchConfig } from '../../platform/settings/search.ts';
import { ReplayConfig } from '../../platform/settings/replay.ts';
import { RetryConfig } from '../../platform/settings/retries.ts';
import { SecretsConfig } from '../../adapters/mongo/database/secrets.ts';
import { SessionConfig } from '../../platform/settings/sessions.ts';
import { WebhookConfig } from '../../platform/settings/webhooks.ts';
import {
  SINGLE_SIGN_ON_TOGETHER,
  SingleSignOnConfig,
  singleSignOnIsWhole,
} from '../../platform/settings/single-sign-on.ts';
import { ReplyConfig } from '../../platform/settings/replies.ts';
import { StreamsConfig } from '../../adapters/stream/events/streams.ts';
import { InvoiceTexts } from '../../core/billing/invoice-texts.ts';
import { Duration } from '../../core/time/duration.ts';
import { NetworkList } from '../../core/network/network.ts';

/** More than any path to an API has. */
const PROXY_HOPS_MAX = 10;

export const ApiConfig = z
  .object({
    ...CommonConfig,
    ...MongoConfig,
    ...NatsConfig,
    ...SecretsConfig,
    ...ContentConfig,
    ...DnsConfig,
    ...WebhookConfig,
    ...LinkConfig,
    ...ReplyConfig,
    ...PlanConfig,
    ...AddressConfig,
    MX_CHECK: Flag.prefault('true').describe(
      'connect to port 25 of the MX hosts of verified domains, to see whether they answer and have ' +
        'a valid certificate',
    ),
    API_HOST: z.string().default('0.0.0.0').describe('address that the API listens on'),
    API_PORT: Port.default(8080).describe('port that the API listens on; 0 for any free port'),
    API_TLS_CERT_FILE: z
      .string()
      .optional()
      .describe('PEM certificate chain; with it, the API serves HTTPS itself'),
    API_TLS_KEY_FILE: z.string().optional().describe('PEM private key of API_TLS_CERT_FILE'),
    ...IntakeConfig,
    FAILING_AFTER: Duration.prefault('5d').describe(
      'time without an accepted delivery after which an address is marked as failing',
    ),
    ...ReplayConfig,
    ...RetryConfig,
    ...SearchConfig,
    FAILED_RETENTION: StreamsConfig.FAILED_RETENTION,
    LINK_LIFETIME: StreamsConfig.LINK_LIFETIME,
    RATE_LIMIT_PER_HOUR: WholeNumber.min(1)
      .default(1000)
      .describe('requests per hour that one API token may make'),
    RATE_LIMIT_PER_MINUTE: WholeNumber.min(1)
      .default(100)
      .describe('requests per minute that one API token may make'),
    ...TracingConfig,
    ...AuditLogConfig,
    ...SessionConfig,
    ...SingleSignOnConfig,
    EVENTS_RETENTION: Duration.prefault('90d').describe('how long usage events are stored'),
    ...RecordsConfig,
    ...BackupConfig,
    BILLING: Flag.prefault('true').describe(
      'offer costs and invoices; without it, the calls of billing do not exist, and no invoice is made; ' +
        'limits of PLANS apply and are shown nevertheless; invoices are made only with PLANS',
    ),
    INVOICES: Json(InvoiceTexts, 'usage-and-billing.md')
      .prefault('{}')
      .describe(
        'JSON with seller, note and due_days: what invoices say in addition to their items; see ' +
          'docs/usage-and-billing.md',
      ),
    DASHBOARD: Flag.prefault('true').describe('serve the dashboard under /dashboard/'),
    DASHBOARD_DIR: z
      .string()
      .optional()
      .describe('folder of the bundled dashboard; by default the one of the image'),
    MCP: Flag.prefault('false').describe(
      'serve the Model Context Protocol under /mcp, so that agents with an API token can read email',
    ),
    REQUIRE_HTTPS: Flag.prefault('false').describe(
      'refuse API requests that did not arrive over TLS, at the API itself or at a trusted proxy',
    ),
    TRUSTED_PROXIES: NetworkList.prefault('').describe(
      'comma-separated networks of proxies whose X-Forwarded-Proto and X-Forwarded-For ' +
        'headers are trusted',
    ),
    TRUSTED_PROXY_HOPS: WholeNumber.min(1)
      .max(PROXY_HOPS_MAX)
      .default(PROXY_HOPS_MAX)
      .describe(
        'number of trusted proxies between a client and the API that append to X-Forwarded-For; ' +
          'addresses before theirs are not believed, also those in TRUSTED_PROXIES',
      ),
  })
  .refine(
    (config) =>
      (config.API_TLS_CERT_FILE === undefined) === (config.API_TLS_KEY_FILE === undefined),
    {
      path: ['API_TLS_KEY_FILE'],
      message: 'must be set together with API_TLS_CERT_FILE, or not at all',
    },
  )
  .refine(linksAreWhole, LINKS_TOGETHER)
  .refine(backupIsWhole, BACKUP_TOGETHER)
  .refine(backupsHaveBucket, BACKUPS_NEED_BUCKET)
  .refine(recordsOutliveContents, RECORDS_OUTLIVE_CONTENTS)
  .refine(auditLogsAreWhole, AUDIT_LOGS_TOGETHER)
  .refine(singleSignOnIsWhole, SINGLE_SIGN_ON_TOGETHER);
export type ApiConfig = z.output<typeof ApiConfig>;
