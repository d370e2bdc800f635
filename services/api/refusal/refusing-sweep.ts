/**
 * Records that a mailbox is refused often, once a day at most. Every API process runs this job; the id
 * of the event is the same in all of them.
 */
import type { UsageEvents } from '../../adapters/mongo/audit/events.ts';
import type { RefusingMailbox, RefusingMailboxes } from '../../adapters/mongo/refusal/refusals.ts';
import type { StartSweep } from '../../adapters/process/sweeps.ts';
import { idOfKey } from '../../core/id/ids.ts';

type RefusingSweepDependencies = {
  refusingMailboxes: RefusingMailboxes;
  events: Pick<UsageEvents, 'addOnce'>;
};

const ROUND_MS = 5 * 60_000;
const DAY_MS = 86_400_000;
/** Refused emails in an hour; the next one is often. */
export const OFTEN = 100;

export const startRefusingSweep = ({
  startSweep,
  ...dependencies
}: RefusingSweepDependencies & { startSweep: StartSweep }): AsyncDisposable =>
  startSweep('refusing_mailboxes', ROUND_MS, (now) => noticeRefusing(dependencies, now));

export async function noticeRefusing(
  { refusingMailboxes, events }: RefusingSweepDependencies,
  now: Date,
): Promise<void> {
  for (const found of await refusingMailboxes(OFTEN, now)) {
    const { account_id, environment, address_id, mailbox, count: refusals, reason } = found;
    await events.addOnce({
      id: dayEventId(found, now),
      account_id,
      environment,
      type: 'address.refusing',
      address_id,
      timestamp: now,
      data: { mailbox, refusals, reason },
    });
  }
}

function dayEventId({ account_id, environment, mailbox }: RefusingMailbox, now: Date): string {
  const day = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
  const key = ['refusing', account_id, environment, mailbox, day.toISOString()].join('\n');
  return idOfKey('evt', day, key);
}
