/** The OpenTelemetry SDK: samples, batches and exports spans. Loaded only when tracing is on. */
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  SamplingDecision,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

import { VERSION } from '../../core/version.ts';
import { withDeadline } from '../async/deadline.ts';
import { processResource } from './resource.ts';
import type { Span, SpanResult, Tracing } from './span.ts';

export type SdkOptions = {
  /** Where spans are posted. */
  url: string;
  headers: Record<string, string>;
  /** Share of traces that are exported, from 0 to 1. */
  ratio: number;
  /** Attributes of the process. */
  resource: Record<string, string>;
};

type Reports = {
  count: (result: SpanResult, spans: number) => void;
  failed: (error: unknown) => void;
};

/** Spans that wait for their export or are in flight: about 2 MB. */
const QUEUE_MAX = 2048;
const BATCH_MAX = 512;
const BATCH_MS = 1_000;
/** Time limit for the last export, when the process stops. */
const STOP_MAX_MS = 3_000;

const KINDS: Record<Span['kind'], SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  internal: SpanKind.INTERNAL,
};

export function openSdk(
  { url, headers, ratio, resource }: SdkOptions,
  { count, failed }: Reports,
): Tracing {
  // the decision of an API client counts, so that its trace is whole
  const sampler = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
  const otlp = new OTLPTraceExporter({ url, headers });
  let queued = 0;
  const exporter: SpanExporter = {
    export: (spans, done) =>
      otlp.export(spans, (result) => {
        queued -= spans.length;
        count(result.error === undefined ? 'exported' : 'failed', spans.length);
        if (result.error !== undefined) failed(result.error);
        done(result);
      }),
    shutdown: () => otlp.shutdown(),
  };
  /** The ids of the span that `add` starts: the SDK would invent others. */
  let ids: Pick<Span, 'traceId' | 'spanId'> = { traceId: '', spanId: '' };
  const provider = new TracerProvider({
    sampler: new AlwaysOnSampler(), // spans of other traces are never added
    idGenerator: { generateTraceId: () => ids.traceId, generateSpanId: () => ids.spanId },
    resource: processResource(resource),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: QUEUE_MAX,
        maxExportBatchSize: BATCH_MAX,
        scheduledDelayMillis: BATCH_MS,
      }),
    ],
  });
  const tracer = provider.getTracer('inlet', VERSION);

  return {
    isSampled: (traceId, parent) => {
      const context =
        parent === undefined ? ROOT_CONTEXT : remote(traceId, PARENT_SPAN_ID, parent.isSampled);
      const { decision } = sampler.shouldSample(context, traceId, '', SpanKind.INTERNAL, {}, []);
      return decision === SamplingDecision.RECORD_AND_SAMPLED;
    },
    add: (facts) => {
      if (queued >= QUEUE_MAX) return count('dropped', 1);
      queued++;
      ids = facts;
      const { name, kind, traceId, parentSpanId, startedAt, durationMs, attributes } = facts;
      const parent =
        parentSpanId === undefined ? ROOT_CONTEXT : remote(traceId, parentSpanId, true);
      const options = { kind: KINDS[kind], startTime: startedAt, attributes };
      const span = tracer.startSpan(name, options, parent);
      if (facts.isError) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(startedAt.getTime() + durationMs);
    },
    [Symbol.asyncDispose]: async () => {
      // a failure was reported
      await withDeadline(STOP_MAX_MS, provider.shutdown()).catch(() => undefined);
    },
  };
}

const PARENT_SPAN_ID = 'f'.repeat(16); // a sampler only needs a valid one

const remote = (traceId: string, spanId: string, isSampled: boolean) =>
  trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
  });
