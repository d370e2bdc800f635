/**
 * Streams that answer, but store nothing: the disk of their node is full, or was. nats-server 2.15.1
 * then answers no publication of the stream until it is restarted, even after there is room again
 * (docs/runbooks/InletStorageFull.md). Without this, each sender would wait for the whole time in which
 * a stream may elect a leader.
 */
import type { Log } from '../../process/log.ts';

/** The stream answers requests and stores nothing. */
export class NotWriting extends Error {
  override readonly name = 'NotWriting';
}

export type WriteFaults = {
  /** @throws NotWriting when the stream stores nothing, except for one try in a few seconds */
  check(stream: string): Patience;
  /** Twice in a row, the stream did not acknowledge a message, and answered another request. */
  notStored(stream: string): NotWriting;
  stored(stream: string): void;
};

type Patience = {
  /** Unacknowledged messages in a row, between which the stream answers. */
  silentTries: number;
  /** The longest wait for one acknowledgment. */
  tryMs: number;
};
const USUAL: Patience = { silentTries: 2, tryMs: Infinity };
/** The disk of another stream is full, which is often the disk of this one. */
const SUSPECT: Patience = { silentTries: 1, tryMs: Infinity };
/** The sender of this message finds out for all others whether there is room again. */
const TRY_AGAIN: Patience = { silentTries: 1, tryMs: 800 };
const TRY_AGAIN_MS = 5_000;

export function createWriteFaults(log?: Pick<Log, 'error' | 'info'>): WriteFaults {
  const nextTryAt = new Map<string, number>();
  return {
    check: (stream) => {
      if (nextTryAt.size === 0) return USUAL;
      const at = nextTryAt.get(stream);
      if (at === undefined) return SUSPECT;
      const now = performance.now();
      if (now < at) throw fault(stream);
      for (const one of nextTryAt.keys()) nextTryAt.set(one, now + TRY_AGAIN_MS);
      return TRY_AGAIN;
    },
    notStored: (stream) => {
      if (!nextTryAt.has(stream)) log?.error('stream.not_writing', { stream });
      nextTryAt.set(stream, performance.now() + TRY_AGAIN_MS);
      return fault(stream);
    },
    stored: (stream) => {
      if (!nextTryAt.delete(stream)) return;
      log?.info('stream.writing_again', { stream });
      for (const one of nextTryAt.keys()) nextTryAt.set(one, 0);
    },
  };
}

const fault = (stream: string) =>
  new NotWriting(`the stream of ${stream} stores nothing: the disk of NATS is full, or was`);
