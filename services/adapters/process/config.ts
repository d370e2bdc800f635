/** Settings come from the environment, once, at start. Each service states them as one zod object; every fault is reported at once. */
import { z } from 'zod';

import { LOG_LEVELS } from './log.ts';

/** Settings of every service. */
export const CommonConfig = {
  LOG_LEVEL: z
    .enum(LOG_LEVELS)
    .default('info')
    .describe('least severe log line that is written: debug, info, warn, error or silent'),
  METRICS_HOST: z
    .string()
    .default('0.0.0.0')
    .describe('address that serves /metrics, /healthz and /readyz'),
  METRICS_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(9090)
    .describe('port that serves /metrics, /healthz and /readyz; 0 for any free port'),
};

export const Port = z.coerce.number().int().min(0).max(65_535);

/** A setting that is `true` or `false`. */
export const Flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** The environment said something a service cannot start with. The message lists every fault, one a line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the settings that `schema` names from `env`. An empty variable counts as unset.
 * @throws ConfigError naming every faulty setting
 */
export function readConfig<T extends z.ZodObject>(schema: T, env: NodeJS.ProcessEnv): z.output<T> {
  const given = Object.fromEntries(
    Object.keys(schema.shape).map((name) => [name, env[name] === '' ? undefined : env[name]]),
  );
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(
    (issue) =>
      `  ${issue.path.join('.')}: ${issue.code !== 'custom' && given[String(issue.path[0])] === undefined ? 'must be set' : issue.message}`,
  );
  throw new ConfigError(`settings that cannot be used:\n${faults.join('\n')}`);
}
