/** What a call of the API takes and returns, apart from the types of the API itself. */

/** The last argument of every call. */
export type CallOptions = {
  /** Ends the call, and its retries, with the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** For one attempt, in milliseconds. The time that the API itself waits is added. */
  timeoutMs?: number | undefined;
  /** How often a failed call is repeated, where this is safe. */
  maxRetries?: number | undefined;
  /**
   * A repeated POST with the same key has no second effect for 24 hours. Without one, each call has a
   * new key, which its retries share.
   */
  idempotencyKey?: string | undefined;
  headers?: Record<string, string> | undefined;
};

/** The fields of a call that has none yet: pass `{}` before options. */
export type NoFields = Record<string, never>;

/**
 * A list, as an async iterable of all its items, page by page. It calls the API when it is read, not
 * before. Items that a new one moves to the next page are not repeated.
 */
export type Listing<Page extends { data: readonly unknown[] }> = AsyncIterable<
  Page['data'][number]
> & {
  /** One page: `limit` and `offset` of the query say which. */
  page(): Promise<Page>;
};

/** How an operation is called, in the generated table. */
export type OperationFacts = {
  /** Such as `GET /deliveries/{event_id}`. */
  call: string;
  /** Media type of the body. */
  body?: string;
  /** Fields that belong to the query, for a call with a JSON body. */
  query?: readonly string[];
  /** Fields that are sent as headers. */
  headers?: readonly string[];
  /** Takes an Idempotency-Key. */
  isKeyed?: true;
  /** JSON, unless it says otherwise. */
  response?: 'text' | 'bytes' | 'stream';
  /** For lists: items of the largest page; 0 for a list without pages. */
  maxItems?: number;
};
