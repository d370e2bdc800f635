/** Attempts, and what rules and requests did to a delivery, as the API shows them. */
import { z } from 'zod';

import { actorOf, ACTORS } from '../account/actor.ts';
import { describeSchema, EXAMPLE, exampleOf } from '../resource/api-reference.ts';
import { Timestamp, timestamp } from '../time/timestamp.ts';
import { headerViews, HeaderView } from './attempt-headers.ts';
import { type Attempt, type Delivery, REQUESTED } from './delivery.ts';
import type { Outcome } from './retry.ts';
import { optional, orNull } from '../resource/described.ts';

export const OUTCOMES = [
  'accepted',
  'refused',
  'busy',
  'unreachable',
  'storage_failed',
  'blocked',
] as const satisfies readonly Outcome['kind'][];

export const AttemptView = z.object({
  time: Timestamp.describe('when the attempt began'),
  outcome: z.enum(OUTCOMES),
  status_code: z.int().nullable().describe('null when no answer came'),
  latency_ms: z.int(),
  error: z.string().nullable().describe('why no answer came'),
  excerpt: z.string().nullable().describe("first KiB of the answer's body; null when it had none"),
  location: z
    .string()
    .nullable()
    .describe('Location of a redirect, which Inlet does not follow; null without one'),
});
describeSchema(AttemptView, 'Attempt', {
  time: EXAMPLE.now,
  outcome: 'accepted',
  status_code: 200,
  latency_ms: 34,
  error: null,
  excerpt: '{"ok":true}',
  location: null,
});

/** An attempt to deliver one email. A request can ask for its headers. */
export const DeliveryAttempt = AttemptView.extend({
  request_headers: optional(
    z.array(HeaderView).nullable(),
    'with include=headers: what was sent, signatures and credentials masked; null when it is ' +
      'no longer stored or nothing was sent',
  ),
  response_headers: optional(
    z.array(HeaderView).nullable(),
    'with include=headers: what the receiver responded; null like request_headers',
  ),
});
describeSchema(DeliveryAttempt, 'DeliveryAttempt', exampleOf(AttemptView));

export const attemptView = ({
  at,
  duration_ms,
  outcome,
  status_code,
  error,
  excerpt,
  location,
}: Attempt): z.infer<typeof AttemptView> => ({
  time: timestamp(at),
  outcome,
  status_code,
  latency_ms: duration_ms,
  error,
  excerpt,
  location: location ?? null,
});

/**
 * With the headers of the last attempts.
 * @param first number of the first one, from 1
 */
export const attemptsWithHeaders = (
  attempts: readonly z.infer<typeof AttemptView>[],
  first: number,
  headers: Delivery['attempt_headers'],
): z.infer<typeof DeliveryAttempt>[] =>
  attempts.map((attempt, index) => {
    const found = headers?.find((one) => one.attempt === first + index);
    return {
      ...attempt,
      request_headers: found ? headerViews(found.sent) : null,
      response_headers: found ? headerViews(found.received) : null,
    };
  });

/** What was done to a delivery, except attempts. */
export const Handling = z.object({
  time: Timestamp,
  did: z
    .enum(['held', ...REQUESTED])
    .describe(
      'held and dropped by rules, by their hook, or dropped by a request; the others by a request',
    ),
  actor: z.enum(ACTORS).describe('who asked for it; inlet: rules or a hook'),
  by: orNull(z.string(), 'name of a person, else the id of the token or session; null for inlet'),
});

/** Rules decide at the receipt. */
export function historyOf({
  ruling,
  received_at,
  requests = [],
}: Delivery): z.infer<typeof Handling>[] {
  const time = timestamp(received_at);
  const did = ruling?.action && ({ hold: 'held', drop: 'dropped' } as const)[ruling.action];
  return [
    ...(did ? [{ time, did, actor: 'inlet' as const, by: null }] : []),
    ...requests.map((request) => ({
      time: timestamp(request.at),
      did: request.did,
      actor: actorOf({ ...request, type: 'delivery', data: {} }) ?? 'inlet',
      by: request.user ?? request.session_id ?? request.token_id ?? null,
    })),
  ];
}
