/**
 * The end of DATA: a raw email becomes one event for each receiver of each accepted recipient. Inlet
 * is responsible for the email once the stream holds all of them (docs/project/internals.md).
 */
import { type Acceptance, heldUnread, isProtected, isRefused } from '../../core/rule/decision.ts';
import { type AuthorAt, authorsAt, authorKeys, withKnown } from '../../core/rule/first-seen.ts';
import type { KnownAuthor, Sightings } from '../../core/rule/known-author.ts';
import { SmtpRefusal } from '../../core/smtp/smtp-reply.ts';
import type { GatewayMetrics } from '../process/metrics.ts';
import { createDecideEmail } from './decide-email.ts';
import { type EmailAt, emailAt, withoutExpressions } from './event-of.ts';
import type { AskHook } from './hooks.ts';
import { createByteQueue } from './memory-budget.ts';
import { createReadEmail, type KnownEmail, type ReadEmailIO } from './read-email.ts';
import type { SenderFacts } from './check-sender.ts';
import type { Receive, ReceivedMail, RefusedAt, Settled, Stored } from './received-mail.ts';
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
    /** Called before the first event is stored. */
    onSettled: (settled: Settled) => void;
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
    assertInTime(received);
    const known = await readContent(received, sender);
    assertInTime(received);
    const authors = received.settled?.authors ?? (await lookedUp(received, known));
    assertInTime(received);
    const emails = inStage('content', () =>
      received.recipients.map((accepted, at) =>
        emailAt(accepted, received, known, authors[at] ?? NOBODY, clock()),
      ),
    );
    const decisions = received.settled?.decided ?? (await decideEmail(received, emails));
    assertInTime(received);
    const accepted: EmailAt[] = [];
    const decided: Acceptance[] = [];
    const refused: RefusedAt[] = [];
    const seen: KnownAuthor[] = [];
    for (const [at, email] of emails.entries()) {
      const decision = decisions[at];
      if (decision === undefined) continue;
      if (isRefused(decision)) {
        if (!received.repliesEach) throw new SmtpRefusal(decision.refusal);
        refused.push({ addressId: email.accepted.recipient.id, reply: decision.refusal });
        continue;
      }
      accepted.push(email);
      const decidedHere = isUnread[at] ? heldUnread(decision) : decision;
      decided.push(decidedHere);
      // only a delivery makes an author known: an author who is held once stays held
      const { author } = authors[at] ?? NOBODY;
      if (author && !decidedHere.ruling?.action) seen.push(author);
    }
    io.metrics.ruled(decided.flatMap(({ ruling }) => ruling ?? []));
    const { sender: facts, spam, mail } = known;
    // an email without a Message-ID may be sent again on purpose, for example by a device (D32)
    const folds = received.settled?.folds ?? (io.foldsRepeats && mail.headers.message_id !== null);
    if (!received.settled)
      io.onSettled({ sender: facts, spam, folds, authors, decided: decisions });
    const stored = await storeEvents(received, known, accepted, decided, folds);
    return { ...stored, authors: seen, refused: [...refused, ...stored.refused] };
  };

  return async function receive(original, client) {
    const received = original.leftOut?.rules ? withoutRules(original) : original;
    assertInTime(received);
    const isPartly =
      original.leftOut?.content !== undefined || original.leftOut?.rules !== undefined;
    const isUnread = original.recipients.map(({ recipient }) => isPartly && isProtected(recipient));
    const sender = await checkSender(received);
    const work = () => receiveContent(received, isUnread, sender);
    return inQueue(received.raw.byteLength, work, client);
  };
}

const NOBODY: AuthorAt = { firstSeen: undefined };

const withoutRules = (received: ReceivedMail): ReceivedMail => ({
  ...received,
  recipients: received.recipients.map(({ recipient, named }) => ({
    recipient: withoutExpressions(recipient),
    named,
  })),
});
