/** What can happen to a delivery, and what can follow from it: the words of transition.ts. */
import type { StoredFiles } from '../bucket/stored-files.ts';

import type { AttemptHeaders } from './attempt-headers.ts';
import type { Attempt, Delivery, Tally, RequestedBy } from './delivery.ts';
import type { FailedEnd, Unsent } from './delivery-end.ts';
import type { Unread } from './unread.ts';
import type { MailEvent, StoredAt } from './mail-event.ts';
import type { Whereabouts } from './overdue-delivery.ts';
import type { Step } from './retry.ts';

/** A record without the terms of its search, which only its creation and its erasure change. */
export type DeliveryRecord = Omit<Delivery, 'search'>;

/** What a dispatcher did with a message. `revision`: of the record as the dispatcher read it. */
export type DispatchEvent = {
  mail: MailEvent;
  storedAt: StoredAt;
  revision: number;
  /** No record exists, as far as the dispatcher knows. */
  isNew?: boolean | undefined;
} & (
  | { kind: 'stored' }
  /** A limit delays it. `foundDueAt`: its next attempt, as the dispatcher read it. */
  | {
      kind: 'delayed';
      until: Date;
      foundDueAt: Date | null;
      beganAt?: Date | undefined;
      storedFiles?: StoredFiles | undefined;
    }
  /** Consumers ask for it. `found`: what they saw, as the dispatcher read it. */
  | {
      kind: 'kept';
      unread: Unread & { until: Date };
      found: Unread | undefined;
      storedFiles?: StoredFiles | undefined;
    }
  /** A POST, or the end of a lease: `found` is what a consumer had, `unread` what is left to lease. */
  | {
      kind: 'attempted';
      attempt: Attempt;
      headers?: AttemptHeaders | undefined;
      step: Step;
      found?: Unread | undefined;
      unread?: Unread | undefined;
      /** When the content ends, if the receiver accepted it. */
      contentUntil?: Date | undefined;
      storedFiles?: StoredFiles | undefined;
    }
  /** Rules hold it. */
  | { kind: 'held' }
  /** Rules drop it. */
  | { kind: 'dropped'; contentUntil?: Date | undefined }
  /** No webhook is sent. */
  | { kind: 'unsent'; as: Unsent; contentUntil?: Date | undefined }
  | { kind: 'given_up'; as: 'expired' | 'backlog_full' }
);

/** What a request asks for: the API, or a mark of an email or an account that a dispatcher finds. */
export type RequestEvent = {
  by: RequestedBy;
  /** When the record was read, by the clock of MongoDB; absent for now. */
  asOf?: Date;
} &
  /** `revision`: as the request read it; absent for whatever it is. */
  (
    | { kind: 'retry_asked'; dueAt: Date; revision?: number | undefined }
    | { kind: 'canceled' }
    /** An email that is held or dropped is released by it. */
    | { kind: 'replayed'; dueAt: Date }
    /** What rules hold or drop, or will; `at`: of the request. */
    | { kind: 'released'; at: Date }
    | { kind: 'drop_asked'; at: Date }
    /** Its content. A request waits for the end of the delivery; a mark ends one that waits. */
    | { kind: 'erased'; ends: 'nothing' | 'waiting' }
    /** The account. Nothing of it waits any more, or is held. */
    | { kind: 'closed'; isErased: boolean }
  );

/** A sweep found that its next attempt should have ended long ago. `revision`: as the sweep read it. */
export type SweepEvent = { kind: 'found_overdue'; where: Whereabouts; revision: number };

export type DeliveryEvent = DispatchEvent | RequestEvent | SweepEvent;

/** What becomes of the message that a dispatcher has. */
export type Settlement =
  /** It has done its work. */
  | { kind: 'acknowledge' }
  /** The message sleeps in RETRY until then. Of a request: a message of this revision must be there. */
  | { kind: 'retry'; at: Date; revision: number }
  /** A copy is kept in FAILED. */
  | { kind: 'keep' }
  /** Something was faster: the record says what is next. */
  | { kind: 'redeliver' };

/** What must follow: of the message, of the content, and in the counters. */
export type Effect =
  | Settlement
  | { kind: 'remove_content' }
  | { kind: 'count'; tally: Tally }
  /** An entry of the audit trail. */
  | { kind: 'note'; as: Note };

/** `outcome`: why it ended without an attempt. */
export type Note =
  | { type: 'webhook.delivered' | 'webhook.retrying' | 'webhook.failed'; attempt: Attempt }
  | { type: 'webhook.failed'; outcome: 'canceled' | FailedEnd; by: RequestedBy }
  | { type: 'email.held' | 'email.dropped' | 'email.lost' };

/** `record` is the same object if nothing changes; undefined if there is none. */
export type Transition<Record = DeliveryRecord> = { record: Record; effects: readonly Effect[] };
