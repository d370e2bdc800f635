/** Receivers of an address as the API shows them: the address itself first, then the further ones. */
import { z } from 'zod';

import { formerSecretsValidUntil } from './secret-overlap.ts';
import { shownSecret } from './webhook-settings.ts';
import { describeSchema, EXAMPLE, exampleOf } from '../resource/api-reference.ts';
import { shownReason } from './failing-reason.ts';
import { viewOf, viewSchema } from '../resource/view.ts';
import { RECEIVER, type Receiver, type ReceiverRecord } from './receiver.ts';

export const ReceiverView = viewSchema('Receiver', EXAMPLE.receiver_id, RECEIVER.fields);
export type ReceiverView = z.infer<typeof ReceiverView>;

/** The response of a creation and of a rotation. */
export const ReceiverWithSecret = ReceiverView.extend({
  webhook_secret: z
    .string()
    .nullable()
    .describe(
      'signs the webhooks of this receiver; starts with whsec_; null with ed25519, whose private ' +
        'key is never shown',
    ),
});
describeSchema(ReceiverWithSecret, 'ReceiverWithSecret', {
  ...exampleOf(ReceiverView),
  webhook_secret: EXAMPLE.webhook_secret,
});

/** A further receiver, or the first one with the URL of its address. */
export type ShownReceiver = ReceiverRecord;

export function receiverView(one: ShownReceiver, now: Date): ReceiverView {
  const state = {
    is_failing: one.failing_noticed_at !== undefined,
    failing_reason: shownReason(one),
    last_pulled_at: one.pulled_at,
    former_secrets_valid_until: formerSecretsValidUntil(one.former_secrets, now),
  };
  return viewOf(RECEIVER.fields, { ...one, ...state });
}

export const receiverWithSecret = (
  one: ShownReceiver & Pick<Receiver, 'webhook_secret'>,
  now: Date,
): z.infer<typeof ReceiverWithSecret> => ({
  ...receiverView(one, now),
  webhook_secret: shownSecret(one),
});
