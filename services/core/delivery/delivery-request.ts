/** What requests did to a delivery, as its record has it (D215). */

/** What a request did to a delivery. */
export const REQUESTED = ['released', 'dropped', 'replayed', 'retried', 'canceled'] as const;
type RequestedBy = {
  token_id?: string;
  session_id?: string;
  member_id?: string;
  user?: string;
};
export type DeliveryRequest = { at: Date; did: (typeof REQUESTED)[number] } & RequestedBy;

/** So many entries of `requests` are kept. */
export const REQUESTS_KEPT = 20;
