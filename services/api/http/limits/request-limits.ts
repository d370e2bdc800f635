/**
 * The rate limits of a token (spec 8): 1,000 requests an hour, 100 a minute. This process reserves
 * blocks of requests in MongoDB and counts them down in memory. Blocks grow with the number of
 * requests, and unused ones are returned.
 */
import type { Log } from '../../../adapters/process/log.ts';
import {
  type RateLimits,
  type RateWindows,
  type Reservation,
  type ReservationRequest,
  type UnusedRequests,
  WINDOW_NAMES,
  type WindowName,
} from '../../../adapters/mongo/limit/rate-windows.ts';

/** The state of a limit. Its window begins with the first request and ends at `resetAt`. */
export type LimitState = { isExceeded: boolean; limit: number; remaining: number; resetAt: Date };

export type RequestLimits = AsyncDisposable & {
  /**
   * Counts one request: `burst` is the minute, `rate` the hour. Requests refused by the burst limit
   * do not count for the hour.
   */
  count(tokenId: string): Promise<{ burst: LimitState; rate?: LimitState }>;
};

/** A token's block is returned after this long without a request. */
const IDLE_MS = 5_000;
const SWEEP_MS = 1_000;
/** Another process may have returned requests to a window that was used up. */
const RECHECK_MS = 1_000;

/** The requests of a window that this process has reserved. Times by performance.now(). */
type Block = {
  left: number;
  remaining: number;
  endsAt: Date;
  endsMs: number;
  resetAt: Date;
  recheckMs: number;
};

type TokenUse = Partial<Record<WindowName, Block>> & {
  /** Requests since the token was last idle. */
  counted: number;
  waiting: number;
  reserving: Promise<void> | undefined;
  lastMs: number;
};

export function createRequestLimits(
  windows: RateWindows,
  { perMinute, perHour }: RateLimits,
  log: Log,
): RequestLimits {
  const limits: Record<WindowName, number> = { minute: perMinute, hour: perHour };
  const uses = new Map<string, TokenUse>();

  const useOf = (tokenId: string): TokenUse => {
    const known = uses.get(tokenId);
    if (known) return known;
    const use: TokenUse = { counted: 0, waiting: 0, reserving: undefined, lastMs: 0 };
    uses.set(tokenId, use);
    return use;
  };

  const stateOf = (name: WindowName, block: Block, isExceeded: boolean): LimitState => ({
    isExceeded,
    limit: limits[name],
    remaining: isExceeded ? 0 : block.remaining + block.left,
    resetAt: block.resetAt,
  });

  /** Undefined: a reservation is needed. */
  const take = (use: TokenUse): { burst: LimitState; rate?: LimitState } | undefined => {
    const now = performance.now();
    const [minute, hour] = [currentBlock(use, 'minute', now), currentBlock(use, 'hour', now)];
    if (minute === undefined || hour === undefined) return undefined;
    if (isUsedUp(minute, now)) return { burst: stateOf('minute', minute, true) };
    if (isUsedUp(hour, now))
      return { burst: stateOf('minute', minute, false), rate: stateOf('hour', hour, true) };
    if (minute.left === 0 || hour.left === 0) return undefined;
    minute.left--;
    hour.left--;
    use.counted++;
    return { burst: stateOf('minute', minute, false), rate: stateOf('hour', hour, false) };
  };

  const reserve = async (tokenId: string, use: TokenUse): Promise<void> => {
    await Promise.resolve(); // all requests of this moment share the reservation
    const askedMs = performance.now();
    const askedAt = Date.now();
    const reserved = await windows.reserve(tokenId, {
      minute: requestFor(use, 'minute', askedMs),
      hour: requestFor(use, 'hour', askedMs),
    });
    for (const name of WINDOW_NAMES)
      use[name] = withReservation(use[name], reserved[name], { askedMs, askedAt });
  };

  const giveBack = async (isIdle: (use: TokenUse) => boolean): Promise<void> => {
    const now = performance.now();
    const unused: UnusedRequests[] = [];
    for (const [tokenId, use] of uses) {
      if (use.waiting > 0 || !isIdle(use)) continue;
      uses.delete(tokenId);
      for (const window of WINDOW_NAMES) {
        const { left = 0, endsAt = new Date(0) } = currentBlock(use, window, now) ?? {};
        if (left > 0) unused.push({ tokenId, window, endsAt, count: left });
      }
    }
    await windows
      .giveBack(unused)
      .catch((error: unknown) => log.debug('rate_limits.not_returned', { error }));
  };

  const sweep = setInterval(
    () => void giveBack(({ lastMs }) => performance.now() - lastMs > IDLE_MS),
    SWEEP_MS,
  );

  return {
    count: async function countRequest(tokenId) {
      for (;;) {
        const use = useOf(tokenId);
        use.lastMs = performance.now();
        const counted = take(use);
        if (counted) return counted;
        use.waiting++;
        try {
          use.reserving ??= reserve(tokenId, use).finally(() => {
            use.reserving = undefined;
          });
          await use.reserving;
        } finally {
          use.waiting--;
        }
      }
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(sweep);
      await giveBack(() => true);
    },
  };
}

function currentBlock(use: TokenUse, name: WindowName, now: number): Block | undefined {
  const block = use[name];
  return block && block.endsMs > now ? block : undefined;
}

const isUsedUp = ({ left, remaining, recheckMs }: Block, now: number): boolean =>
  left === 0 && remaining === 0 && now < recheckMs;

/** Reserves as many in advance as were counted since the token was idle, so blocks double. */
function requestFor(use: TokenUse, name: WindowName, now: number): ReservationRequest {
  const need = Math.max(0, use.waiting - (currentBlock(use, name, now)?.left ?? 0));
  return { need, extra: need === 0 ? 0 : use.counted };
}

/** The end counts from the question, so this process never uses a block after its window. */
function withReservation(
  before: Block | undefined,
  { granted, remaining, endsAt, msLeft }: Reservation,
  { askedMs, askedAt }: { askedMs: number; askedAt: number },
): Block {
  const isSameWindow = before?.endsAt.getTime() === endsAt.getTime();
  return {
    left: granted + (isSameWindow ? before.left : 0),
    remaining,
    endsAt,
    endsMs: askedMs + msLeft,
    resetAt: new Date(askedAt + msLeft),
    recheckMs: performance.now() + RECHECK_MS,
  };
}
