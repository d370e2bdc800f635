/**
 * Gateways have dispatchers call deciding hooks, by request and reply over core NATS: gateways have
 * neither the secrets that sign nor a way to the internet (D61).
 */
import {
  headers,
  type Msg,
  type MsgHdrs,
  NoRespondersError,
  TimeoutError,
} from '@nats-io/transport-node';
import { z } from 'zod';

import type { HookResponse } from '../../core/decision/hook-answer.ts';
import type { Log } from '../process/log.ts';
import type { Nats } from '../stream/connection/connection.ts';

const SUBJECT = 'inlet.hooks.call';
const QUEUE = 'dispatchers';
const CALL = 'Inlet-Hook-Call';
/** What the two processes and NATS may take beyond the time of the hook. */
const MARGIN_MS = 500;

/** The request to a hook, without its body. */
const HookCall = z.object({
  url: z.string(),
  event_id: z.string(),
  /** Its secrets sign. */
  address_id: z.string(),
  timeout_ms: z.int().positive(),
});
type HookCall = z.infer<typeof HookCall>;

const Response = z.object({
  status: z.int().nullable(),
  body: z.string().nullable(),
  error: z.string().nullable(),
  durationMs: z.number(),
  wasNotCalled: z.literal(true).optional(),
}) satisfies z.ZodType<HookResponse>;

/** Never throws. */
export type CallHook = (call: HookCall, payload: Uint8Array) => Promise<HookResponse>;

export const createHookCalls = ({
  connection,
  isConnected,
}: Pick<Nats, 'connection' | 'isConnected'>): CallHook =>
  async function callHook(call, payload) {
    const startedAt = performance.now();
    try {
      if (!isConnected()) throw new Error('NATS is not connected');
      const fields = headers();
      fields.set(CALL, JSON.stringify(call));
      const reply = await connection.request(SUBJECT, payload, {
        timeout: call.timeout_ms + MARGIN_MS,
        headers: fields,
      });
      return Response.parse(reply.json());
    } catch (error) {
      return {
        status: null,
        body: null,
        error: reasonOf(error, call),
        durationMs: Math.round(performance.now() - startedAt),
        ...(!isTimeout(error) && { wasNotCalled: true }),
      };
    }
  };

const causesOf = (error: unknown) => [error, error instanceof Error ? error.cause : undefined];
const isTimeout = (error: unknown) =>
  causesOf(error).some((cause) => cause instanceof TimeoutError);

function reasonOf(error: unknown, { timeout_ms }: HookCall): string {
  if (causesOf(error).some((cause) => cause instanceof NoRespondersError))
    return 'no dispatcher is running';
  if (isTimeout(error)) return `no answer within ${timeout_ms / 1000} s`;
  return 'the call could not be made';
}

/** Answers the calls of gateways. Several dispatchers share them. */
export function serveHookCalls(
  { connection }: Pick<Nats, 'connection'>,
  callHook: CallHook,
  log: Log,
): Disposable {
  const answer = async (call: HookCall, message: Msg): Promise<void> => {
    message.respond(JSON.stringify(await callHook(call, message.data)));
  };
  const subscription = connection.subscribe(SUBJECT, {
    queue: QUEUE,
    callback: (error, message) => {
      if (error) return log.warn('hook_calls.interrupted', { error });
      const call = readCall(message.headers);
      if (call === undefined)
        return log.warn('hook_calls.unreadable', { bytes: message.data.byteLength });
      void answer(call, message);
    },
  });
  return { [Symbol.dispose]: () => subscription.unsubscribe() };
}

function readCall(fields: MsgHdrs | undefined): HookCall | undefined {
  try {
    return HookCall.safeParse(JSON.parse(fields?.get(CALL) ?? '')).data;
  } catch {
    return undefined;
  }
}
