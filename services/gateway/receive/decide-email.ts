/** What happens to an email at each of its recipients: its rules decide, then its hook. */
import { senderLists } from '../../core/expression/sender-list.ts';
import type { ExpressionFacts } from '../../core/expression/variables.ts';
import { createFilter } from '../../core/receiver/filter.ts';
import {
  afterHook,
  type Alone,
  decide,
  decideAlone,
  type Decided,
  isDelivered,
} from '../../core/rules/decision.ts';
import { sourceNetwork } from '../../core/network.ts';
import type { SmtpReply } from '../../core/smtp/smtp-reply.ts';
import { hookBody } from '../../core/webhook/hook-payload.ts';
import type { GatewayMetrics } from '../metrics.ts';
import type { EmailAt } from './event-of.ts';
import type { AskHook } from './hooks.ts';
import { inGroups } from './in-groups.ts';
import type { KnownEmail } from './read-email.ts';
import type { ReceivedMail } from './received-mail.ts';
import { inStage } from './stage.ts';

/** For each email, in their order; or the one reply to the client. */
export type DecideEmail = (
  received: ReceivedMail,
  known: KnownEmail,
  emails: readonly EmailAt[],
) => Promise<readonly Decided[] | { refusal: SmtpReply }>;

/** Of one email to many recipients. */
const HOOKS_TOGETHER = 4;
/** Left for storing the email before its reply is due. */
const STORE_MS = 5_000;

export const createDecideEmail = (
  askHook: AskHook,
  metrics: Pick<GatewayMetrics, 'hookAsked'>,
): DecideEmail =>
  async function decideEmail({ raw, replyBy, isUtf8, envelope }, { mail, sender, spam }, emails) {
    const source = sourceNetwork(envelope.remoteIp);
    const until = new Date(replyBy.getTime() - STORE_MS);
    const email = { ...mail, ...sender, spamScore: spam.score };

    /** Its rules, and whether its hook is to be asked. */
    const byRules = ({ accepted: { recipient }, payload }: EmailAt) => {
      const facts: ExpressionFacts = {
        ...payload,
        lists: recipient.lists && senderLists(recipient.lists),
      };
      const alone = decideAlone(recipient, email, () => facts);
      const { hook } = recipient;
      if (!hook || !isDelivered(alone)) return { alone };
      const tags = alone.outcome?.tags;
      const isAsked = hook.when === null || createFilter({ ...facts, tags })(hook.when).passes;
      return isAsked ? { alone, hook, tags } : { alone };
    };

    const decideAt = async (at: EmailAt): Promise<Alone> => {
      const { alone, hook, tags } = inStage('rules', () => byRules(at));
      if (!hook) return alone;
      const { id: addressId, account_id: accountId } = at.accepted.recipient;
      const answer = await askHook(
        {
          hook,
          accountId,
          addressId,
          eventId: at.eventId,
          emailBytes: raw.byteLength,
          until,
          source,
        },
        () => inStage('rules', () => hookBody(at.payload, tags)),
      );
      metrics.hookAsked(answer);
      return afterHook(alone, answer, isUtf8);
    };

    const decision = decide(emails, await inGroups(emails, HOOKS_TOGETHER, decideAt));
    if (decision.refusal) return { refusal: decision.refusal };
    return [...decision.decided.values()];
  };
