/**
 * The end of DATA: a raw email becomes one event for each receiver of each accepted recipient. Inlet
 * is responsible for the email once the stream holds all of them (docs/project/internals.md).
 */
import { nextTurn } from '../../adapters/threads/job.ts';
import { type EmailBudgets, noBudget } from '../../core/expression/budget.ts';
import {
  type Acceptance,
  heldBecause,
  isProtected,
  isRefused,
} from '../../core/decision/decision.ts';
import {
  type RecipientAuthor,
  authorsAt,
  authorKeys,
  withKnown,
} from '../../core/decision/first-seen.ts';
import type { KnownAuthor, Sightings } from '../../core/decision/known-author.ts';
import type { RefusedContent } from '../../core/refusal/decided-by.ts';
import type { RecipientRefusal } from '../../core/refusal/decided-by.ts';
import { SmtpRefusal, type SmtpReply } from '../../core/smtp/smtp-reply.ts';
import type { GatewayMetrics } from '../process/metrics.ts';
import { createDecideEmail } from './decide-email.ts';
import { type RecipientEmail, recipientEmail } from './stored-event.ts';
import type { AskHook } from './hooks.ts';
import { createByteQueue } from './memory-budget.ts';
import { createReadEmail, type KnownEmail, type ReadEmailIO } from './read-email.ts';
import type { SenderFacts } from './check-sender.ts';
import type { Receive, ReceivedMail, FixedDecision, Stored } from './received-mail.ts';
import { inStage } from '../process/stage.ts';
import { createStoreEvents, type StoreEventsIO } from './store-events.ts';

export type ReceiveMetrics = ReadEmailIO['metrics'] &
  StoreEventsIO['metrics'] &
  Pick<GatewayMetrics, 'ruled' | 'hookAsked'>;

/** Null when MongoDB does not answer in time. */
export type AskAuthors = (
  transactionId: string,
  keys: readonly string[],
) => Promise<Sightings | null>;

type ReceiveIO = ReadEmailIO &
  StoreEventsIO & {
    /** Raw bytes of emails that are read and stored at the same time; a larger email is alone. */
    maxBytes: number;
    askHook: AskHook;
    askAuthors: AskAuthors;
    /** Whether an email that its sender repeats is stored once (DUPLICATE_WINDOW). */
    foldsRepeats: boolean;
    budgets: EmailBudgets;
    /** Called before the first event is stored. */
    onFixed: (fixed: FixedDecision) => Promise<void> | undefined;
    metrics: ReceiveMetrics;
  };

export function createReceive(
  io: ReceiveIO,
  clock: () => Date,
  random: (bytes: number) => Uint8Array,
): Receive {
  const { checkSender, readContent } = createReadEmail(io, random);
  const inQueue = createByteQueue(io.maxBytes);
  const decideEmail = createDecideEmail(io.askHook, io.metrics, clock);
  const storeEvents = createStoreEvents(io, clock);
  const assertInTime = ({ replyBy }: ReceivedMail) => {
    if (clock() >= replyBy) throw new Error('dequeued after the reply deadline');
  };

  const lookedUp = async (
    { recipients, transactionId }: ReceivedMail,
    { mail: { headers }, sender: { authentication } }: KnownEmail,
  ) => {
    const at = authorsAt(
      recipients.map(({ recipient }) => recipient),
      { headers, authentication },
    );
    const keys = authorKeys(at);
    if (keys.length === 0) return at;
    return withKnown(at, await io.askAuthors(transactionId, keys), clock());
  };

  /** @param isUnread whether a recipient's rules or hook would need more than is read */
  const receiveContent = async (
    received: ReceivedMail,
    isUnread: readonly boolean[],
    sender: SenderFacts,
  ): Promise<Stored> => {
    const turn = nextTurn();
    if (turn) await turn;
    assertInTime(received);
    const known = await readContent(received, sender);
    assertInTime(received);
    const authors = received.fixed?.authors ?? (await lookedUp(received, known));
    assertInTime(received);
    const budgetOf = received.skipped?.rules ? noBudget : io.budgets();
    const emails = inStage('content', () =>
      received.recipients.map((accepted, at) =>
        recipientEmail(
          accepted,
          received,
          known,
          authors[at] ?? NOBODY,
          budgetOf(accepted.recipient.account_id),
          clock(),
        ),
      ),
    );
    const decisions = received.fixed?.decided ?? (await decideEmail(received, emails));
    assertInTime(received);
    const accepted: RecipientEmail[] = [];
    const decided: Acceptance[] = [];
    const refused: RecipientRefusal[] = [];
    let refusal: SmtpReply | undefined;
    const seen: KnownAuthor[] = [];
    for (const [at, email] of emails.entries()) {
      const decision = decisions[at];
      if (decision === undefined) continue;
      if (isRefused(decision)) {
        const { refusal: reply, own } = decision;
        const { id: addressId } = email.accepted.recipient;
        refused.push({ addressId, reply, ...own, content: contentOf(known) });
        refusal = reply;
        continue;
      }
      accepted.push(email);
      const decidedHere = isUnread[at] ? heldBecause('cut', decision) : decision;
      decided.push(decidedHere);
      // only a delivery makes an author known: an author who is held once stays held
      const { author } = authors[at] ?? NOBODY;
      if (author && !decidedHere.ruling?.action) seen.push(author);
    }
    if (refusal && !received.repliesEach) throw new SmtpRefusal(refusal, { at: refused });
    io.metrics.ruled(decided.flatMap(({ ruling }) => ruling ?? []));
    const { sender: facts, spam, mail } = known;
    // an email without a Message-ID may be sent again on purpose, for example by a device (D32)
    const folds = received.fixed?.folds ?? (io.foldsRepeats && mail.headers.message_id !== null);
    if (!received.fixed)
      await io.onFixed({ sender: facts, spam, folds, authors, decided: decisions });
    const stored = await storeEvents(received, known, accepted, decided, folds);
    const { heldAt, ...rest } = stored;
    const delivered = seen.filter(({ address_id }) => !heldAt.has(address_id));
    return { ...rest, authors: delivered, refused: [...refused, ...stored.refused] };
  };

  return async function receive(original, client) {
    const received = original.skipped?.rules ? withoutHooks(original) : original;
    assertInTime(received);
    const isPartly =
      original.skipped?.content !== undefined || original.skipped?.rules !== undefined;
    const isUnread = original.recipients.map(({ recipient }) => isPartly && isProtected(recipient));
    const sender = await checkSender(received);
    const work = () => receiveContent(received, isUnread, sender);
    return inQueue(received.raw.byteLength, work, client);
  };
}

/** For the record of the refusal. */
const contentOf = ({ mail: { headers }, sender }: KnownEmail): RefusedContent => ({
  from: headers.from,
  subject: headers.subject,
  messageId: headers.message_id,
  authentication: sender.authentication,
});

const NOBODY: RecipientAuthor = { firstSeen: undefined };

const withoutHooks = (received: ReceivedMail): ReceivedMail => ({
  ...received,
  recipients: received.recipients.map(({ recipient, named }) => {
    const { hook: _, ...rest } = recipient;
    return { recipient: rest, named };
  }),
});
