/**
 * Whether a server answers at all. The timeout of one request says nothing about that, and the
 * author of the request can cause it. A probe that every working server answers decides.
 */
import { withDeadline } from './deadline.ts';

export type OutageWatch = {
  /** Probes the server, unless it has just been probed. */
  check(): void;
  /** While it is down, each call lets it be probed again. */
  isDown(): boolean;
};

const PROBE_EVERY_MS = 2_000;
/** A probe that ends this much too late says only that this process was busy. */
const OVERDUE_MS = 250;

/**
 * @param probe rejects if the server does not answer
 * @param timeoutMs after which a server without an answer is down
 */
export function watchForOutages(
  probe: () => Promise<unknown>,
  timeoutMs: number,
  onDown: () => void = () => undefined,
): OutageWatch {
  let isDown = false;
  let checkedAt = -Infinity;

  const check = (): void => {
    const startedAt = performance.now();
    if (checkedAt + PROBE_EVERY_MS > startedAt) return;
    checkedAt = startedAt;
    withDeadline(timeoutMs, probe()).then(
      () => (isDown = false),
      () => {
        if (performance.now() - startedAt > timeoutMs + OVERDUE_MS) return;
        isDown = true;
        onDown();
      },
    );
  };
  check();
  return {
    check,
    isDown: () => {
      if (isDown) check();
      return isDown;
    },
  };
}
