/** What requests did, in the record of a delivery (D215). */
import type { Document } from 'mongodb';

import { type DeliveryRequest, REQUESTS_KEPT } from '../../../core/delivery/delivery-request.ts';
import type { EventOrigin } from '../../../core/event/usage-event.ts';

/**
 * The requests of a record, with another one, for an update by a pipeline.
 * @param did an expression
 */
export const withRequest = (
  did: DeliveryRequest['did'] | Document,
  { token_id, session_id, member_id, user }: EventOrigin,
  at: Date,
) => ({
  $slice: [
    {
      $concatArrays: [
        { $ifNull: ['$requests', []] },
        [
          {
            at,
            did,
            ...(token_id !== undefined && { token_id }),
            ...(session_id !== undefined && { session_id }),
            ...(member_id !== undefined && { member_id }),
            ...(user !== undefined && { user: { $literal: user } }), // a name may begin with $
          },
        ],
      ],
    },
    -REQUESTS_KEPT,
  ],
});
