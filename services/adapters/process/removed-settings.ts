/** Settings of earlier releases that no service reads any more, and what to do where one is set. */

import { ConfigError } from './config.ts';

const CONSTANT = 'has a fixed value now. Unset it';
const CANARY =
  'has no effect. Unset it, and give the address an expectation: see docs/monitoring.md#canary';
const archive = (name: string) =>
  `is BACKUP_${name} now. Unset it: RECORDS_RETENTION deletes old records, it archives none`;
const OIDC = 'is part of the JSON in OIDC_RULES now: see docs/single-sign-on.md';

/** Each sentence begins with the name. The chart refuses these settings with the same words. */
export const REMOVED_SETTINGS: Readonly<Record<string, string>> = {
  ACK_WAIT: CONSTANT,
  ARCHIVE_ACCESS_KEY_ID: archive('ACCESS_KEY_ID'),
  ARCHIVE_ADDRESSING: archive('ADDRESSING'),
  ARCHIVE_BUCKET: archive('BUCKET'),
  ARCHIVE_CA_FILE: archive('CA_FILE'),
  ARCHIVE_ENDPOINT: archive('ENDPOINT'),
  ARCHIVE_PREFIX: archive('PREFIX'),
  ARCHIVE_REGION: archive('REGION'),
  ARCHIVE_SECRET_ACCESS_KEY: archive('SECRET_ACCESS_KEY'),
  AUTH_FAILURES_PER_MINUTE: CONSTANT,
  CANARY_ADDRESS: CANARY,
  CANARY_MAX_AGE: CANARY,
  CLAMD_TIMEOUT: CONSTANT,
  DNS_CACHE_TTL: CONSTANT,
  DNS_TIMEOUT: CONSTANT,
  MAIL_AUTH_TIMEOUT: CONSTANT,
  MAX_BYTES_AT_WORK:
    'is MAX_MESSAGE_BYTES now. Unset it, and set MAX_BYTES_IN_MEMORY for less memory',
  MAX_RECIPIENTS: CONSTANT,
  MONGODB_PORT: 'is chosen by npm start. Unset it, or set MONGODB_URI to a server of your own',
  MTA_STS_SERVICE_PORT: 'is part of MTA_STS_SERVICE now, as name:port',
  NATS_PORT: 'is chosen by npm start. Unset it, or set NATS_URL to a server of your own',
  OIDC_ACCOUNTS: OIDC,
  OIDC_ACCOUNT_CLAIM: OIDC,
  OIDC_GROUPS_CLAIM: OIDC,
  OIDC_PERMISSIONS: OIDC,
  OIDC_PERMISSIONS_CLAIM: OIDC,
  OIDC_ROLES: OIDC,
  OIDC_SCOPES: OIDC,
  OTEL_SDK_DISABLED: 'has no effect. Unset OTEL_EXPORTER_OTLP_ENDPOINT to turn tracing off',
  OTEL_TRACES_SAMPLER:
    'is always parentbased_traceidratio now. Unset it, and set the share in OTEL_TRACES_SAMPLER_ARG',
  PROXY_PROTOCOL_TIMEOUT: CONSTANT,
  RECONCILE_CONCURRENCY: 'has a fixed value now. Unset it, and set KUBE_REQUESTS_PER_SECOND',
  REPLAY_RATE: CONSTANT,
  RESYNC_INTERVAL: CONSTANT,
  RETRY_MAX_MAILS_PER_ACCOUNT: 'is a quarter of RETRY_MAX_MAILS now. Unset it',
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
  STREAM_WATCHERS_PER_ACCOUNT: 'is a fifth of STREAM_WATCHERS now. Unset it',
  TLS_RELOAD_INTERVAL: CONSTANT,
  WATCH_TIMEOUT: CONSTANT,
};

/**
 * The sentences for those that `env` still sets. An empty variable counts as unset.
 * @throws ConfigError where to ignore one would change what users may do, or delete what was archived before
 */
export function removedSettingsIn(env: NodeJS.ProcessEnv): string[] {
  const found = Object.entries(REMOVED_SETTINGS).filter(([name]) => Boolean(env[name]));
  const refused = found.filter(([name, words]) => words === OIDC || name.startsWith('ARCHIVE_'));
  if (refused.length > 0)
    throw new ConfigError(
      `invalid settings:\n${refused.map((one) => `  ${one.join(' ')}`).join('\n')}`,
    );
  return found.map((one) => one.join(' '));
}
