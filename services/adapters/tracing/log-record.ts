/** Log records as plain data: services say what happened, and only log-sdk.ts knows OpenTelemetry. */

/** A record of the audit trail for a collector. */
export type LogRecord = {
  /** Name of the event, such as `inlet.token.created`. */
  name: string;
  at: Date;
  /** As JSON. Never a secret. */
  body: Readonly<Record<string, unknown>>;
  attributes: Readonly<Record<string, string>>;
};

export type LogExporter = AsyncDisposable & {
  /**
   * Resolves when the collector has them. Repeats by itself what the collector may accept later.
   * @throws when it does not accept them within ten seconds
   */
  export(records: readonly LogRecord[]): Promise<void>;
};
