/**
 * A process that sends requests to the API and its yardstick. Each connection is a closed loop: the
 * next request follows the response.
 */
import { Pool } from 'undici';

import { nowMs } from './clock.ts';
import { answerRequests } from './helper-process.ts';

export type ApiLoadRequest = {
  origin: string;
  method: 'GET' | 'POST';
  /** Used in rotation. */
  paths: readonly string[];
  headers: Record<string, string>;
  body?: string | undefined;
  connections: number;
  /** Limits: number of requests, and seconds after which none is sent. */
  requests: number;
  seconds: number;
};

export type ApiLoadResult = {
  seconds: number;
  /** From the request to the last byte of a successful response. */
  latenciesMs: Float64Array;
  /** Number of responses by any other status. */
  refusals: Record<string, number>;
};

const ANSWER_TIMEOUT_MS = 10_000;

async function run({
  origin,
  method,
  paths,
  headers,
  body,
  connections,
  requests,
  seconds,
}: ApiLoadRequest): Promise<ApiLoadResult> {
  await using parts = new AsyncDisposableStack();
  const pool = parts.adopt(
    new Pool(origin, {
      connections,
      pipelining: 1,
      headersTimeout: ANSWER_TIMEOUT_MS,
      bodyTimeout: ANSWER_TIMEOUT_MS,
    }),
    (one) => one.close(),
  );
  const latencies: number[] = [];
  const refusals: Record<string, number> = {};
  const startedMs = nowMs();
  const deadline = startedMs + seconds * 1000;
  let begun = 0;

  const loop = async (): Promise<void> => {
    while (begun < requests && nowMs() < deadline) {
      const path = paths[begun++ % paths.length] ?? '/';
      const askedMs = nowMs();
      const answer = await pool.request({
        method,
        path,
        headers,
        ...(body !== undefined && { body }),
      });
      await answer.body.arrayBuffer();
      if (answer.statusCode < 300) latencies.push(nowMs() - askedMs);
      else refusals[answer.statusCode] = (refusals[answer.statusCode] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, loop));
  return {
    seconds: (nowMs() - startedMs) / 1000,
    latenciesMs: Float64Array.from(latencies),
    refusals,
  };
}

answerRequests((requested) => run(requested as ApiLoadRequest));
