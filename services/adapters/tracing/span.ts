/** Spans as plain data: services describe what happened, and only sdk.ts knows OpenTelemetry. */

/** A span that has ended. Ids as in core/id/trace-context.ts. */
export type Span = {
  name: string;
  kind: 'server' | 'client' | 'producer' | 'internal';
  traceId: string;
  spanId: string;
  /** Absent for the first span of a trace. */
  parentSpanId?: string | undefined;
  startedAt: Date;
  durationMs: number;
  /** Never content of an email, nor the address of a person. */
  attributes: Readonly<Record<string, string | number | boolean>>;
  isError?: boolean;
};

export type Tracing = AsyncDisposable & {
  /** The same in every process that has the same sampler. @param parent decision of a remote caller */
  isSampled(traceId: string, parent?: { isSampled: boolean }): boolean;
  /** Enqueues a span of a sampled trace. Never waits: a span that finds the queue full is dropped. */
  add(span: Span): void;
};

/** The end of a span. */
export type SpanResult = 'exported' | 'failed' | 'dropped';
