/**
 * Who holds what of this process, and for how long: streams, waiting requests, searches and
 * downloads. A slot and its bytes belong to one request. They are free when its response has ended
 * or its connection is gone, however the client leaves, so clients that do not read cannot exhaust
 * the memory.
 */
import { AppError, RETRY_AFTER_SECONDS, unavailable } from '../../../core/error/app-error.ts';
import { mayTake } from '../../../core/delivery/claim.ts';

type SlotLimits = { slots: number; bytes: number };

/** One client's connection: its source, and a callback for the end of the response. */
export type Connection = { source: string; onClose: (callback: () => void) => void };

export type Slots = {
  /**
   * @param holder the account or the source that the slot counts for
   * @param bytes that the process holds for it
   * @throws AppError `unavailable`, or the refusal of this kind of slot, above a limit
   */
  take(holder: string, connection: Pick<Connection, 'onClose'>, bytes?: number): Slot;
  taken(): number;
};

/** Disposing frees it before the response has ended. */
export type Slot = Disposable & {
  /**
   * Sets how many bytes the process now holds for it.
   * @throws AppError as `take`, and `unavailable` when the client has disconnected
   */
  hold(bytes: number): void;
};

type Limits = {
  perProcess: SlotLimits;
  perHolder: SlotLimits;
  /** Whether a holder gets less while others hold much: some is left for those who hold nothing. */
  isFair?: boolean;
  /** The error for a holder with too many. */
  refusal?: (holder: string) => Error;
};

const MiB = 1024 * 1024;

/**
 * Memory of a streamed download: a chunk from the bucket, a chunk in the socket's buffer, and their
 * copies.
 */
export const STREAM_BYTES = 2 * MiB;

/** Bounded so that an API with 512 MiB of memory keeps most of it for other requests. */
export const DOWNLOADS: Limits = {
  perProcess: { slots: 48, bytes: 160 * MiB },
  perHolder: { slots: 24, bytes: 96 * MiB },
  isFair: true,
};

/** MongoDB has 100 connections for this process: some remain for other requests. */
const SEARCHES_PER_ACCOUNT = 16;
export const SEARCHES: Limits = {
  perProcess: { slots: 64, bytes: 0 },
  perHolder: { slots: SEARCHES_PER_ACCOUNT, bytes: 0 },
  refusal: () =>
    new AppError(
      'rate_limit_exceeded',
      `The account has ${SEARCHES_PER_ACCOUNT} searches in progress on this server. Wait for one to end`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    ),
};

/** Anybody can ask for policies. Each is one read from an index. One source leaves slots to others. */
export const POLICY_READS: Limits = {
  perProcess: { slots: 32, bytes: 0 },
  perHolder: { slots: 8, bytes: 0 },
};

/** Email that is submitted. It is streamed to a gateway, which has a slot for it, too. */
export const INTAKES: Limits = {
  perProcess: { slots: 64, bytes: 0 },
  perHolder: { slots: 16, bytes: 0 },
};

/** Bytes of the past that streams still have to send. */
const PAST_BYTES = { perProcess: 48 * MiB, perHolder: 12 * MiB };
/** No account takes the places of the others. */
const SHARE_OF_ACCOUNT = 0.2;

/** Open streams, and consumers that wait, each of `perProcess`. */
export const watcherLimits = (perProcess: number, kind: 'streams' | 'consumers'): Limits => {
  const perAccount = Math.ceil(perProcess * SHARE_OF_ACCOUNT);
  const held = kind === 'streams' ? 'open streams' : 'consumers that wait';
  const bytes = kind === 'streams' ? PAST_BYTES : { perProcess: 0, perHolder: 0 };
  return {
    perProcess: { slots: perProcess, bytes: bytes.perProcess },
    perHolder: { slots: perAccount, bytes: bytes.perHolder },
    refusal: () =>
      new AppError(
        'rate_limit_exceeded',
        `The account has ${perAccount} ${held} on this server. Close one, or wait`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      ),
  };
};

export function createSlots({ perProcess, perHolder, isFair, refusal }: Limits): Slots {
  const total: SlotLimits = { slots: 0, bytes: 0 };
  const byHolder = new Map<string, SlotLimits>();

  return {
    take: function takeSlot(holder, { onClose }, bytes = 0) {
      const ofHolder = byHolder.get(holder) ?? { slots: 0, bytes: 0 };
      const fits = (kind: keyof SlotLimits, more: number) =>
        !isFair ||
        more <= 0 ||
        mayTake({ capacity: perProcess[kind], used: total[kind] }, ofHolder[kind], more);
      const change = (slots: number, added: number) => {
        if (slots > 0 || added > 0) {
          if (isAbove(total, slots, added, perProcess))
            throw unavailable(new Error('the process has too many such requests in flight'));
          if (
            isAbove(ofHolder, slots, added, perHolder) ||
            !fits('slots', slots) ||
            !fits('bytes', added)
          )
            throw (
              refusal?.(holder) ??
              unavailable(new Error(`${holder} has too many such requests in flight`))
            );
        }
        for (const usage of [total, ofHolder]) {
          usage.slots += slots;
          usage.bytes += added;
        }
      };
      change(1, bytes);
      byHolder.set(holder, ofHolder);
      let held = bytes;
      let isOver = false;
      const release = () => {
        if (isOver) return;
        isOver = true;
        change(-1, -held);
        if (ofHolder.slots === 0) byHolder.delete(holder);
      };
      onClose(release);
      return {
        hold: (now) => {
          if (isOver && now > 0) throw unavailable(new Error('the client has disconnected'));
          if (isOver) return;
          change(0, now - held);
          held = now;
        },
        [Symbol.dispose]: release,
      };
    },
    taken: () => total.slots,
  };
}

const isAbove = (usage: SlotLimits, slots: number, bytes: number, limits: SlotLimits): boolean =>
  usage.slots + slots > limits.slots || usage.bytes + bytes > limits.bytes;
