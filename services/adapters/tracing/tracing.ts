/**
 * Spans for an OpenTelemetry collector. The SDK is loaded only when a collector is set: without one,
 * tracing takes neither memory nor time.
 */
import { hostname } from 'node:os';
import { z } from 'zod';

import { VERSION } from '../../core/version.ts';
import { createInterruptionLog } from '../process/interruption-log.ts';
import type { Log } from '../process/log.ts';
import type { Meter } from '../process/meter.ts';
import type { LogExporter } from './log-record.ts';
import type { SdkOptions } from './sdk.ts';
import type { Tracing } from './span.ts';

/** `name=value` pairs, separated by commas; values are percent-encoded, as in a Baggage header. */
const Pairs = z.string().transform((text, context): Record<string, string> => {
  const pairs = text
    .split(',')
    .filter((pair) => pair.trim() !== '')
    .map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())] as const;
    });
  if (pairs.every(([name, value]) => /^[\w.!#$%&'*+^`|~-]+$/.test(name) && value !== undefined))
    return Object.fromEntries(pairs) as Record<string, string>;
  // the message must not contain the text: a header can be a secret
  context.addIssue({ code: 'custom', message: 'must be name=value pairs, separated by commas' });
  return z.NEVER;
});

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Names and meanings are those of the OpenTelemetry specification. */
export const TracingConfig = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'URL of the OpenTelemetry collector that receives spans (OTLP over HTTP, protobuf), such as ' +
        'http://otel-collector:4318; /v1/traces is appended; no spans when unset',
    ),
  OTEL_EXPORTER_OTLP_HEADERS: Pairs.optional().describe(
    'headers of requests to the collector, such as a token: name=value pairs, separated by ' +
      'commas, with percent-encoded values',
  ),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe(
      'share of the traces that are exported, from 0 to 1. A trace of an API client that sends a ' +
        'traceparent with a valid token or session is exported if the client exports it',
    ),
};
/** Settings of the service that exports the audit trail. */
export const AuditLogConfig = {
  OTEL_LOGS_EXPORTER: z
    .enum(['none', 'otlp'])
    .default('none')
    .describe(
      'otlp exports the audit trail to the collector, as logs (/v1/logs), without events of single ' +
        'emails; none does not',
    ),
};

export const auditLogsAreWhole = (config: {
  OTEL_LOGS_EXPORTER: 'none' | 'otlp';
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
}): boolean =>
  config.OTEL_LOGS_EXPORTER === 'none' || config.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined;

/** The fault when they are not. */
export const AUDIT_LOGS_TOGETHER = {
  path: ['OTEL_LOGS_EXPORTER'],
  message: 'needs OTEL_EXPORTER_OTLP_ENDPOINT',
};

type TracingSettings = z.output<z.ZodObject<typeof TracingConfig>>;

/** An export is retried for 10 seconds, so failures of one interruption are that far apart. */
const QUIET_MS = 300_000;
const LOG_EVERY_MS = 3_600_000;

export const createTracingMetrics = ({ counter }: Meter) =>
  counter(
    'inlet_trace_spans_total',
    'spans that were exported to the collector, failed to be, or were dropped because the queue was full',
    { result: ['exported', 'failed', 'dropped'] },
  );

/** @returns undefined when tracing is off */
export async function startTracing(
  config: TracingSettings,
  service: string,
  meter: Meter,
  log: Log,
): Promise<Tracing | undefined> {
  const spans = createTracingMetrics(meter);
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  const { openSdk } = await import('./sdk.ts'); // 10 MB that few installations need
  const interruptions = createInterruptionLog(log, { quietMs: QUIET_MS, everyMs: LOG_EVERY_MS });
  const tracing = openSdk(
    {
      ...collector(config, endpoint, '/v1/traces', service),
      ratio: config.OTEL_TRACES_SAMPLER_ARG,
    },
    {
      count: (result, number) => spans.inc({ result }, number),
      failed: (error) => interruptions.report('warn', 'tracing.not_exported', { error }),
    },
  );
  return {
    ...tracing,
    [Symbol.asyncDispose]: async () => {
      await tracing[Symbol.asyncDispose]();
      interruptions[Symbol.dispose]();
    },
  };
}

/** @returns undefined when the export is off */
export async function startLogExporter(
  config: TracingSettings & z.output<z.ZodObject<typeof AuditLogConfig>>,
  service: string,
): Promise<LogExporter | undefined> {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined || config.OTEL_LOGS_EXPORTER === 'none') return undefined;
  const { openLogExporter } = await import('./log-sdk.ts'); // few installations need it
  return openLogExporter(collector(config, endpoint, '/v1/logs', service));
}

const collector = (
  config: TracingSettings,
  endpoint: string,
  path: string,
  service: string,
): Pick<SdkOptions, 'url' | 'headers' | 'resource'> => ({
  url: `${endpoint.replace(/\/+$/, '')}${path}`,
  headers: config.OTEL_EXPORTER_OTLP_HEADERS ?? {},
  resource: {
    'service.version': VERSION,
    'service.instance.id': hostname(),
    'service.name': `inlet-${service}`,
  },
});
