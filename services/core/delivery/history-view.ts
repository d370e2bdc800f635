/** What rules and requests did to a delivery, as the API shows it. */
import { z } from 'zod';

import { actorOf, ACTORS } from '../actor.ts';
import { Timestamp, timestamp } from '../timestamp.ts';
import type { Delivery } from './delivery.ts';
import { REQUESTED } from './delivery-request.ts';

/** What was done to a delivery, except attempts. */
export const Handling = z.object({
  time: Timestamp,
  did: z
    .enum(['held', ...REQUESTED])
    .describe(
      'held and dropped by rules, by their hook, or dropped by a request; the others by a request',
    ),
  actor: z.enum(ACTORS).describe('who asked for it; inlet: rules or a hook'),
  by: z
    .string()
    .nullable()
    .describe('name of a person, else the id of the token or session; null for inlet'),
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
