/** Settings of earlier releases that no service reads any more, and what to do where one is set. */
import { ConfigError } from './config.ts';

const CONSTANT = 'has a fixed value now. Unset it';
const CANARY =
  'has no effect. Unset it, and give the address an expectation: see docs/monitoring.md#canary';
const archive = (name: string) =>
  `is BACKUP_${name} now. Unset it: RECORDS_RETENTION deletes old records, it archives none`;
const inJson = (setting: string, page: string) =>
  `is part of the JSON in ${setting} now: see docs/${page}`;
const OIDC = inJson('OIDC_RULES', 'single-sign-on.md');
const INVOICES = inJson('INVOICES', 'usage-and-billing.md');
const MTA_STS = inJson('MTA_STS', 'deliverability.md');
const BACKUP_BUCKET = inJson('BACKUP_BUCKET', 'backup-and-restore.md');

type Advice = Readonly<Record<string, string>>;

/** A process that ignored one would change what users may do, or delete what was archived before. */
const REFUSED: Advice = {
  ARCHIVE_ACCESS_KEY_ID: archive('ACCESS_KEY_ID'),
  ARCHIVE_ADDRESSING: archive('BUCKET'),
  ARCHIVE_BUCKET: archive('BUCKET'),
  ARCHIVE_CA_FILE: archive('CA_FILE'),
  ARCHIVE_ENDPOINT: archive('BUCKET'),
  ARCHIVE_PREFIX: archive('BUCKET'),
  ARCHIVE_REGION: archive('BUCKET'),
  ARCHIVE_SECRET_ACCESS_KEY: archive('SECRET_ACCESS_KEY'),
  BACKUP_ADDRESSING: BACKUP_BUCKET,
  BACKUP_ENDPOINT: BACKUP_BUCKET,
  BACKUP_PREFIX: BACKUP_BUCKET,
  BACKUP_REGION: BACKUP_BUCKET,
  INVOICE_DUE_DAYS: INVOICES,
  INVOICE_NOTE: INVOICES,
  INVOICE_SELLER: INVOICES,
  LEASE_NAMESPACE: "is the pod's own namespace now. Unset it",
  MTA_STS_GATEWAY: MTA_STS,
  MTA_STS_INGRESS_CLASS: MTA_STS,
  MTA_STS_ISSUER: MTA_STS,
  MTA_STS_ROUTE: MTA_STS,
  MTA_STS_SERVICE: MTA_STS,
  MTA_STS_SERVICE_PORT: MTA_STS,
  OIDC_ACCOUNTS: OIDC,
  OIDC_ACCOUNT_CLAIM: OIDC,
  OIDC_GROUPS_CLAIM: OIDC,
  OIDC_PERMISSIONS: OIDC,
  OIDC_PERMISSIONS_CLAIM: OIDC,
  OIDC_ROLES: OIDC,
  OIDC_SCOPES: OIDC,
};

const IGNORED: Advice = {
  ACK_WAIT: CONSTANT,
  AUTH_FAILURES_PER_MINUTE: CONSTANT,
  CANARY_ADDRESS: CANARY,
  CANARY_MAX_AGE: CANARY,
  CLAMD_TIMEOUT: CONSTANT,
  DNS_CACHE_TTL: CONSTANT,
  DNS_TIMEOUT: CONSTANT,
  KUBE_REQUESTS_PER_SECOND: CONSTANT,
  LEASE_DURATION: CONSTANT,
  MAIL_AUTH_TIMEOUT: CONSTANT,
  MAX_BYTES_AT_WORK:
    'is MAX_MESSAGE_BYTES now. Unset it, and set MAX_BYTES_IN_MEMORY for less memory',
  MAX_RECIPIENTS: CONSTANT,
  MONGODB_PORT: 'is chosen by npm start. Unset it, or set MONGODB_URI to a server of your own',
  NATS_PORT: 'is chosen by npm start. Unset it, or set NATS_URL to a server of your own',
  OTEL_SDK_DISABLED: 'has no effect. Unset OTEL_EXPORTER_OTLP_ENDPOINT to turn tracing off',
  OTEL_TRACES_SAMPLER:
    'is always parentbased_traceidratio now. Unset it, and set the share in OTEL_TRACES_SAMPLER_ARG',
  PROXY_PROTOCOL_TIMEOUT: CONSTANT,
  RECONCILE_CONCURRENCY: CONSTANT,
  REPLAY_RATE: CONSTANT,
  RESYNC_INTERVAL: CONSTANT,
  RETRY_MAX_MAILS_PER_ACCOUNT: 'is a quarter of RETRY_MAX_MAILS now. Unset it',
  RETRY_SLOTS: 'is half of MAIL_SLOTS now. Unset it',
  RSPAMD_TIMEOUT: CONSTANT,
  SECRET_ROTATION_OVERLAP: CONSTANT,
  SESSION_RATE_LIMIT_PER_HOUR: CONSTANT,
  SESSION_RATE_LIMIT_PER_MINUTE: CONSTANT,
  SMTP_DATA_TIMEOUT: CONSTANT,
  SMTP_IDLE_TIMEOUT: CONSTANT,
  SMTP_MAIL_TIMEOUT: CONSTANT,
  SMTP_REPLY_TIMEOUT: CONSTANT,
  SOURCE_UNKNOWN_PER_HOUR: 'is 15 times SOURCE_UNKNOWN_PER_MINUTE now. Unset it',
  STALL_TIMEOUT: CONSTANT,
  STREAM_HEARTBEAT: CONSTANT,
  STREAM_WATCHERS: CONSTANT,
  STREAM_WATCHERS_PER_ACCOUNT: CONSTANT,
  TLS_RELOAD_INTERVAL: CONSTANT,
  WATCH_TIMEOUT: CONSTANT,
};

/** Each sentence follows the name. The chart refuses all of these settings with the same words. */
export const REMOVED_SETTINGS: Advice = { ...IGNORED, ...REFUSED };

/**
 * The sentences for those that `env` still sets. An empty variable counts as unset.
 * @throws ConfigError for those that cannot be ignored
 */
export function removedSettingsIn(env: NodeJS.ProcessEnv): string[] {
  const refused = sentencesIn(env, REFUSED);
  if (refused.length > 0)
    throw new ConfigError(`invalid settings:\n${refused.map((one) => `  ${one}`).join('\n')}`);
  return sentencesIn(env, IGNORED);
}

const sentencesIn = (env: NodeJS.ProcessEnv, advice: Advice): string[] =>
  Object.entries(advice)
    .filter(([name]) => Boolean(env[name]))
    .map((one) => one.join(' '));
