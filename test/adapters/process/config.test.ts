/**
 * Settings from the environment: defaults, formats, and all errors together, each with its setting.
 */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import {
  CommonConfig,
  ConfigError,
  Flag,
  Port,
  readConfig,
} from '../../../services/adapters/process/config.ts';
import { removedSettingsIn } from '../../../services/adapters/process/removed-settings.ts';
import { DispatcherConfig } from '../../../services/dispatcher/process/config.ts';
import { StandaloneConfig } from '../../../services/standalone/settings/config.ts';
import { GatewayConfig } from '../../../services/gateway/process/config.ts';
import { RETRY_SCHEDULE_MS } from '../../../services/core/delivery/retry.ts';

const faultsOf = (schema: z.ZodObject, env: Record<string, string>): string => {
  try {
    readConfig(schema, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
};

test('a gateway needs no settings: port 25, 25 MiB (D25)', () => {
  expect(readConfig(GatewayConfig, {})).toMatchObject({
    SMTP_PORT: 25,
    MAX_MESSAGE_BYTES: 26_214_400,
    PARTITIONS: 4,
  });
});

test('spec 6.2: a dispatcher has the schedule and the 30 seconds by default', () => {
  const SECRET_KEYS = Buffer.alloc(32).toString('base64');
  expect(readConfig(DispatcherConfig, { SECRET_KEYS })).toMatchObject({
    RETRY_SCHEDULE: RETRY_SCHEDULE_MS,
    WEBHOOK_TIMEOUT: 30_000,
    WEBHOOK_ALLOWED_NETWORKS: [],
  });
});

test('an empty variable counts as unset, and unknown ones are ignored', () => {
  expect(readConfig(z.object({ PORT: Port.default(7) }), { PORT: '', HOME: '/root' })).toEqual({
    PORT: 7,
  });
});

test('every fault is reported on its own line, with the name of its setting', () => {
  const message = faultsOf(
    z.object({ ...CommonConfig, NEEDED: z.string(), SWITCH: Flag.prefault('true') }),
    { LOG_LEVEL: 'loud', METRICS_PORT: '70000', SWITCH: 'yes' },
  );
  const [title, ...lines] = message.split('\n');
  expect(title).toBe('invalid settings:');
  expect(lines.map((line) => line.trim().split(':')[0])).toEqual([
    'LOG_LEVEL',
    'METRICS_PORT',
    'NEEDED',
    'SWITCH',
  ]);
  expect(message).toContain('NEEDED: must be set');
});

test.each<[string, z.ZodObject, Record<string, string>, string]>([
  ['a port above 65535', StandaloneConfig, { SMTP_PORT: '99999' }, 'must be at most 65535'],
  ['a port of letters', StandaloneConfig, { API_PORT: 'abc' }, 'must be a number'],
  ['a port with a fraction', StandaloneConfig, { API_PORT: '80.5' }, 'must be a whole number'],
  ['a negative port', GatewayConfig, { SMTP_PORT: '-1' }, 'must be at least 0'],
  [
    'an unknown level',
    z.object(CommonConfig),
    { LOG_LEVEL: 'loud' },
    'must be one of debug, info, warn, error, silent',
  ],
  [
    'an rspamd without http',
    GatewayConfig,
    { RSPAMD_URL: 'rspamd:11333' },
    'must be an http or https URL',
  ],
])('the rule that %s breaks is in plain words', (_, schema, env, rule) => {
  expect(faultsOf(schema, env)).toBe(`invalid settings:\n  ${Object.keys(env)[0]}: ${rule}`);
});

test.each<[string, z.ZodObject, Record<string, string>, string]>([
  ['a port that is not a number', GatewayConfig, { SMTP_PORT: 'smtp' }, 'SMTP_PORT'],
  [
    'a duration without its unit',
    GatewayConfig,
    { SMTP_STOP_GRACE: '300' },
    '"300" is not a duration such as 30s, 5m or 72h',
  ],
  ['no partitions', GatewayConfig, { PARTITIONS: '0' }, 'PARTITIONS'],
  [
    'a database that is not MongoDB',
    GatewayConfig,
    { MONGODB_URI: 'postgres://db' },
    'must begin with mongodb://',
  ],
  [
    'emails that could never fit',
    GatewayConfig,
    { MAX_MESSAGE_BYTES: '500000000' },
    'MAX_MESSAGE_BYTES: must not be above MAX_BYTES_IN_MEMORY',
  ],
  [
    'memory too small for the largest email',
    GatewayConfig,
    { MAX_BYTES_IN_MEMORY: '1000000' },
    'MAX_MESSAGE_BYTES: must not be above MAX_BYTES_IN_MEMORY',
  ],
  [
    'an address of clamd without its kind',
    GatewayConfig,
    { CLAMD: 'clamav:3310' },
    'CLAMD: must be like tcp://clamd:3310 or unix:/run/clamd',
  ],
  ['a dispatcher without keys', DispatcherConfig, {}, 'SECRET_KEYS: must be set'],
])('%s is a fault', (_, schema, env, words) => {
  expect(faultsOf(schema, env)).toContain(words);
});

test('flags are true or false', () => {
  const schema = z.object({ SWITCH: Flag.prefault('false') });
  expect(readConfig(schema, { SWITCH: 'true' })).toEqual({ SWITCH: true });
  expect(readConfig(schema, {})).toEqual({ SWITCH: false });
});

describe('removed settings', () => {
  test('those that are set are named with what to do', () => {
    expect(
      removedSettingsIn({ DNS_TIMEOUT: '1s', TLS_RELOAD_INTERVAL: '', HOME: '/root' }),
    ).toEqual(['DNS_TIMEOUT has a fixed value now. Unset it']);
  });

  test.each([
    ['OIDC_ROLES', 'is part of the JSON in OIDC_RULES now'],
    ['ARCHIVE_BUCKET', 'is BACKUP_BUCKET now. Unset it: RECORDS_RETENTION deletes old records'],
  ])('one that cannot be ignored without harm is refused: %s', (name, words) => {
    expect(() => removedSettingsIn({ [name]: 'x' })).toThrow(`${name} ${words}`);
  });
});
