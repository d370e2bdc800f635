/** A bulk replay runs page by page, also while the user looks at another screen. */
import { signal } from '@preact/signals';

import { call } from '../../client/api.ts';
import type { ReplayDeliveriesRequest } from '../../../core/api/api-types.generated.ts';

/** How many emails match. `isAtLeast`: the search counted only a part of them. */
export type MatchCount = { total: number; isAtLeast: boolean };

export type ReplayRun = {
  /** stopping: the user stopped it while a call was in flight. */
  state: 'running' | 'stopping' | 'stopped' | 'failed' | 'done';
  request: ReplayDeliveriesRequest;
  /** The cursor of the next call; undefined before the first. */
  cursor: string | undefined;
  expected: MatchCount;
  queued: number;
  noLongerKept: number;
  underWay: number;
  /** Why it failed. */
  problem: string | undefined;
};

/** The last one, until the user dismisses it. */
export const replayRun = signal<ReplayRun | undefined>(undefined);

export const replayIsRunning = (): boolean =>
  replayRun.value?.state === 'running' || replayRun.value?.state === 'stopping';

/** @param expected how many emails the user agreed to replay */
export function startReplay(request: ReplayDeliveriesRequest, expected: MatchCount): Promise<void> {
  replayRun.value = {
    state: 'running',
    request,
    cursor: undefined,
    expected,
    queued: 0,
    noLongerKept: 0,
    underWay: 0,
    problem: undefined,
  };
  return runPages(request);
}

/** Continues a replay that was stopped or has failed. */
export async function continueReplay(): Promise<void> {
  const run = replayRun.value;
  if (!run) return;
  change({ state: 'running', problem: undefined });
  await runPages(run.request);
}

export const stopReplay = (): void => change({ state: 'stopping' });
export const dismissReplay = (): void => void (replayRun.value = undefined);

const change = (fields: Partial<ReplayRun>): void => {
  if (replayRun.value) replayRun.value = { ...replayRun.value, ...fields };
};

/** The browser asks before it closes or reloads the page. */
const askFirst = (event: BeforeUnloadEvent): void => event.preventDefault();

/** One call at a time: each looks at a part of the deliveries, and the next begins where it ended. */
async function runPages(request: ReplayDeliveriesRequest): Promise<void> {
  addEventListener('beforeunload', askFirst);
  try {
    while (replayRun.peek()?.state === 'running') {
      const cursor = replayRun.peek()?.cursor;
      const { queued, skipped, next_cursor } = await call('POST /deliveries/replay', {
        body: { ...request, ...(cursor !== undefined && { cursor }) },
      });
      const run = replayRun.peek();
      if (run?.request !== request) return; // the user signed out meanwhile
      change({
        cursor: next_cursor ?? undefined,
        queued: run.queued + queued,
        noLongerKept: run.noLongerKept + skipped.no_longer_kept,
        underWay: run.underWay + skipped.under_way,
        ...(next_cursor === null && { state: 'done' }),
      });
    }
    if (replayRun.peek()?.state === 'stopping') change({ state: 'stopped' });
  } catch (error) {
    if (replayRun.peek()?.request === request)
      change({ state: 'failed', problem: error instanceof Error ? error.message : String(error) });
  } finally {
    removeEventListener('beforeunload', askFirst);
  }
}
