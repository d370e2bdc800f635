/** An email that wants to start, and what it gets. */
import type { ReceiverSample, SharedLimit } from '../../core/delivery/claim.ts';

/** Permission for one attempt. It ends when it is released. */
export type Permit = {
  /** Time before this, for example to read the payload, does not count as the receiver's. */
  requestStarted: () => void;
  /** How long to wait for the first byte; undefined for the timeout of all. */
  firstByteMs: number | undefined;
  /** @param sample of the receiver; undefined when it was not called */
  release(sample: ReceiverSample | undefined): void;
};

export type Entry =
  { kind: 'permit'; permit: Permit } | { kind: 'later'; at: Date } | { kind: 'closed' };

/** An email that wants to start, and is counted in the share of its account. */
export type Arrival = {
  accountId: string;
  addressId: string;
  /** It comes from the RETRY lane, where it slept until its time. */
  wasScheduled: boolean;
  /** The slots of its partition and lane. */
  slots: SharedLimit;
  payloadBytes: number;
};
