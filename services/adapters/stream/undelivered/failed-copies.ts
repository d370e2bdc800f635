/**
 * The copies of emails in FAILED: those whose delivery was given up, and held ones. One that fails again
 * after a replay is stored as long as the first time (D191), so a newer copy takes the place of an older
 * one. A repeated move changes nothing: the copy has the revision of its message already.
 */
import type { MailEvent } from '../../../core/delivery/mail-event.ts';
import { subjects } from '../../../core/delivery/mail-event.ts';
import { Unprocessable } from '../../../core/delivery/fault.ts';
import { nullWhenAbsent } from '../connection/errors.ts';
import { renewObject } from '../objects/objects.ts';
import type { LeaderWait } from '../connection/outage.ts';
import { publishOnce } from '../events/publish.ts';
import { FAILED_STREAM, type Streams } from '../events/streams.ts';
import { readRevision, writeFailedHeaders } from '../events/wire.ts';

/** Resolves when FAILED has the email. */
type KeepFailed = (event: MailEvent, data: Uint8Array, revision: number) => Promise<void>;

/** Two dispatchers can have the same email for a moment. */
const TRIES = 3;

export function createKeepFailed(
  { publisher, manager, bodies }: Pick<Streams, 'publisher' | 'manager' | 'bodies'>,
  waitForLeader: LeaderWait,
): KeepFailed {
  const copyOf = (subject: string) =>
    manager.streams.getMessage(FAILED_STREAM, { last_by_subj: subject }).catch(nullWhenAbsent);

  return async function keepFailed(event, data, revision) {
    const subject = subjects.failed(event);
    const publish = (after: number) =>
      publishOnce(publisher, subject, data, {
        headers: writeFailedHeaders(event, revision),
        after,
        ...waitForLeader,
      });
    if (await publish(0)) return;
    for (let tries = 0; tries < TRIES; tries++) {
      const present = await copyOf(subject);
      if (present && readRevision(present.header) >= revision) return;
      // before the copy, because a crash in between repeats both
      if (event.payload_in === 'bucket') await renewBody(event.event_id);
      if (await publish(present?.seq ?? 0)) return;
    }
    throw new Error(`FAILED changes the copy of ${event.event_id} all the time`);
  };

  /** A body is stored as long as a copy is, counted from when it was stored. */
  async function renewBody(eventId: string): Promise<void> {
    try {
      await renewObject(manager, bodies, eventId);
    } catch (error) {
      if (!(error instanceof Unprocessable)) throw error; // a damaged body stays as it is
    }
  }
}
