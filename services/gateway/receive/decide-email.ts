/** What happens to an email at each of its recipients: its rules decide, then its hook. */
import { eventIdOf } from '../../core/delivery/mail-event.ts';
import { senderLists } from '../../core/expression/sender-list.ts';
import type { ExpressionFacts } from '../../core/expression/variables.ts';
import { createFilter } from '../../core/receiver/filter.ts';
import {
  afterHook,
  type Alone,
  decide,
  decideAlone,
  type Decision,
  type EmailFacts,
  isDelivered,
} from '../../core/rules/decision.ts';
import type { Recipient } from '../../core/address/recipient.ts';
import { hookPayload } from '../../core/webhook/hook-payload.ts';
import { buildPayload, type PayloadFacts } from '../../core/webhook/payload.ts';
import { encodePayload, writtenBytes } from '../../core/webhook/payload-bytes.ts';
import type { GatewayMetrics } from '../metrics.ts';
import type { AskHook } from './hooks.ts';
import { inGroups } from './in-groups.ts';
import type { AcceptedRecipient, ReceivedMail } from './received-mail.ts';

/** @param payloadFacts what the payload of this recipient is built from */
export type DecideEmail = (
  received: ReceivedMail,
  email: EmailFacts,
  payloadFacts: (recipient: Recipient) => Omit<PayloadFacts, 'eventId'>,
) => Promise<Decision<Recipient>>;

/** Of one email to many recipients. */
const HOOKS_TOGETHER = 4;
/** Left for storing the email before its reply is due. */
const STORE_MS = 5_000;

export const createDecideEmail = (
  askHook: AskHook,
  metrics: Pick<GatewayMetrics, 'hookAsked'>,
): DecideEmail =>
  async function decideEmail(received, email, payloadFacts) {
    const { transactionId, raw, recipients, receivedAt, replyBy, isUtf8 } = received;
    const until = new Date(replyBy.getTime() - STORE_MS);
    const factsFor = (recipient: Recipient): ExpressionFacts => ({
      ...buildPayload({ ...payloadFacts(recipient), eventId: '' }),
      lists: recipient.lists && senderLists(recipient.lists),
    });

    /** Asks the hook of a recipient that would deliver the email. */
    const decideAt = async ({ recipient }: AcceptedRecipient): Promise<Alone> => {
      let known: ExpressionFacts | undefined;
      const facts = () => (known ??= factsFor(recipient));
      const alone = decideAlone(recipient, email, facts);
      const { hook, id: addressId, account_id: accountId } = recipient;
      if (!hook || !isDelivered(alone)) return alone;
      const tags = alone.outcome?.tags;
      if (hook.when !== null && !createFilter({ ...facts(), tags })(hook.when).passes) return alone;
      const eventId = eventIdOf(transactionId, addressId, receivedAt);
      const answer = await askHook(
        { hook, accountId, addressId, eventId, emailBytes: raw.byteLength, until },
        () =>
          writtenBytes(encodePayload(hookPayload({ ...payloadFacts(recipient), eventId, tags }))),
      );
      metrics.hookAsked(answer);
      return afterHook(alone, answer, isUtf8);
    };

    return decide(
      recipients.map(({ recipient }) => recipient),
      await inGroups(recipients, HOOKS_TOGETHER, decideAt),
    );
  };
