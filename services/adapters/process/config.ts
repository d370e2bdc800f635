/**
 * Reads settings from the environment once, at start. All invalid settings are reported together.
 */
import { z } from 'zod';

import { issueText } from '../../core/error/issue-text.ts';
import { LOG_LEVELS } from './log.ts';

/** A setting that is a number without a fraction. */
export const WholeNumber = z.coerce.number().int();

export const Port = WholeNumber.min(0).max(65_535);

/** Settings of every service. */
export const CommonConfig = {
  LOG_LEVEL: z
    .enum(LOG_LEVELS)
    .default('info')
    .describe('lowest level that is logged: debug, info, warn, error or silent'),
  METRICS_HOST: z
    .string()
    .default('0.0.0.0')
    .describe('address that serves /metrics, /healthz and /readyz'),
  METRICS_PORT: Port.default(9090).describe(
    'port that serves /metrics, /healthz and /readyz; 0 for any free port',
  ),
};

/** A setting that is `true` or `false`. */
export const Flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** A setting that is a JSON document. `page` of the docs describes it. */
export const Json = <T extends z.ZodType>(schema: T, page: string) =>
  z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue({ code: 'custom', message: `must be JSON (docs/${page})` });
        return z.NEVER;
      }
    })
    .pipe(schema);

/** Settings with which a service cannot start. The message lists every fault, one per line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the settings that `schema` names from `env`. An empty variable counts as unset.
 * @throws ConfigError that names every invalid setting
 */
export function readConfig<T extends z.ZodObject>(schema: T, env: NodeJS.ProcessEnv): z.output<T> {
  const given = Object.fromEntries(
    Object.keys(schema.shape).map((name) => [name, env[name] === '' ? undefined : env[name]]),
  );
  const parsed = schema.safeParse(given, { error: issueText });
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, code, message }) => {
    const isMissing = code !== 'custom' && given[String(path[0])] === undefined;
    return `  ${path.join('.')}: ${isMissing ? 'must be set' : message}`;
  });
  throw new ConfigError(`invalid settings:\n${faults.join('\n')}`);
}
