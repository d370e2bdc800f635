/**
 * Records refusals for their accounts, outside of the mail path: a refusal costs it one entry of a
 * bounded buffer, which is written every few seconds (D316). What finds no room is counted.
 */
import { withDeadline } from '../../adapters/async/deadline.ts';
import type { Mongo } from '../../adapters/mongo/database/connection.ts';
import { createDomainOwners } from '../../adapters/mongo/refusal/domain-owners.ts';
import { type AddRefusals, createAddRefusals } from '../../adapters/mongo/refusal/refusals.ts';
import { createInterruptionLog } from '../../adapters/process/interruption-log.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { Refusal, RefusedOnce } from '../../core/refusal/refusal.ts';
import { createRefusalBuffer } from '../../core/refusal/refusal-buffer.ts';
import type { RefusedEmail } from '../../core/smtp/refused-email.ts';
import { noSuchAddress, replyFor, SmtpRefusal } from '../../core/smtp/smtp-reply.ts';
import type { Recipient } from '../../core/address/recipient.ts';
import type { Directory } from '../../platform/address-directory.ts';
import type { GatewayMetrics } from '../process/metrics.ts';
import { createFindOwner, type FindOwner, ownerOf } from './find-owner.ts';

/** Never throws. @param error what refused it */
export type RecordRefusal = (
  error: unknown,
  email: Omit<RefusedEmail, 'reply'>,
  heloDomain: string,
) => void;

export type RefusalRecords = AsyncDisposable & { record: RecordRefusal };

const WRITE_EVERY_MS = 2_000;
const BATCH = 500;
/** Mailboxes whose owner is not known yet, and how many of them are looked for at the same time. */
const UNOWNED_MAX = 10_000;
const LOOKED_FOR_TOGETHER = 200;
/** A gateway that stops waits so long for MongoDB. */
const LAST_WRITE_MS = 3_000;

type Unowned = { once: Omit<RefusedOnce, 'owner'>; count: number; at: Date };

type Options = {
  isOff: boolean;
  metrics: Pick<GatewayMetrics, 'refusalsUnrecorded' | 'refusedAt'>;
  clock: () => Date;
  everyMs?: number;
};

export const assembleRefusals = (
  { REFUSALS_RETENTION: retentionMs }: { REFUSALS_RETENTION: number },
  {
    db,
    addresses,
    ...options
  }: Omit<Options, 'isOff'> & { db: Mongo['db']; addresses: Directory<Recipient> },
  log: Log,
): RefusalRecords =>
  createRefusalRecords(
    createAddRefusals(db, retentionMs),
    createFindOwner(addresses, createDomainOwners(db)),
    { isOff: retentionMs === 0, ...options },
    log,
  );

export function createRefusalRecords(
  add: AddRefusals,
  findOwner: FindOwner,
  { isOff, metrics, clock, everyMs = WRITE_EVERY_MS }: Options,
  log: Log,
): RefusalRecords {
  const interruptions = createInterruptionLog(log);
  const buffer = createRefusalBuffer();
  let unowned = new Map<string, Unowned>();

  const noteUnowned = (once: Unowned['once'], at: Date) => {
    const key = `${once.reply.name} ${once.sender} ${once.mailbox}`;
    const known = unowned.get(key);
    if (known) known.count += 1;
    else if (unowned.size < UNOWNED_MAX) unowned.set(key, { once, count: 1, at });
    else metrics.refusalsUnrecorded(1);
  };

  const record: RecordRefusal = (error, email, heloDomain) => {
    const { command, mailboxes, sender, messageId, remoteIp } = email;
    if (command === 'mail') return; // it names no mailbox
    const reply = replyFor(error);
    // what a deleted address gets says nothing about its account
    if (reply.name !== noSuchAddress.name)
      for (const { recipient } of mailboxes) if (recipient) metrics.refusedAt(recipient.account_id);
    if (isOff) return;
    const refusal = error instanceof SmtpRefusal ? error : undefined;
    const now = clock();
    for (const { named: mailbox, recipient } of mailboxes) {
      const at = refusal?.at.find(({ addressId }) => addressId === recipient?.id);
      const once = {
        command,
        reply,
        ...at,
        mailbox,
        sender,
        messageId,
        remoteIp,
        heloDomain,
      };
      if (!recipient) noteUnowned(once, now);
      else if (!buffer.add({ ...once, owner: ownerOf(recipient) }, now))
        metrics.refusalsUnrecorded(1);
    }
  };

  const findOwners = async () => {
    const waiting = [...unowned.values()];
    unowned = new Map();
    while (waiting.length > 0)
      await Promise.all(
        waiting.splice(0, LOOKED_FOR_TOGETHER).map(async ({ once, count, at }) => {
          const { mailbox, reply } = once;
          try {
            const owner = await findOwner(mailbox, reply.name);
            if (owner === undefined) return;
            if (!buffer.add({ ...once, owner }, at, count)) metrics.refusalsUnrecorded(count);
          } catch (error) {
            metrics.refusalsUnrecorded(count);
            interruptions.report('warn', 'refusals.without_owner', { error });
          }
        }),
      );
  };

  const write = async () => {
    await findOwners();
    const taken = buffer.take();
    while (taken.length > 0) {
      const batch = taken.splice(0, BATCH);
      try {
        const removed = await add(batch);
        if (removed > 0) log.info('refusals.made_room', { removed });
      } catch (error) {
        interruptions.report('warn', 'refusals.not_written', { error });
        metrics.refusalsUnrecorded(buffer.putBack([...batch, ...taken] satisfies Refusal[]));
        return;
      }
    }
  };

  let writing: Promise<void> | undefined;
  const timer = setInterval(() => {
    writing ??= write().finally(() => {
      writing = undefined;
    });
  }, everyMs).unref();

  return {
    record,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await withDeadline(LAST_WRITE_MS, Promise.resolve(writing).then(write)).catch(
        (error: unknown) => log.warn('refusals.not_written', { error }),
      );
      interruptions[Symbol.dispose]();
    },
  };
}
