/** A bulk replay runs page by page, also while the user looks at another screen. */
import { signal } from '@preact/signals';

import { call } from '../../app/api.ts';
import type { ReplayDeliveriesRequest } from '../../app/api-types.golden.ts';

export type ReplayRun = {
  state: 'running' | 'done' | 'stopped' | 'failed';
  queued: number;
  noLongerKept: number;
  underWay: number;
  /** Why it failed. */
  problem?: string;
};

/** The last one, until the user dismisses it. */
export const replayRun = signal<ReplayRun | undefined>(undefined);

export const stopReplay = (): void => change({ state: 'stopped' });
export const dismissReplay = (): void => void (replayRun.value = undefined);

const change = (fields: Partial<ReplayRun>): void => {
  if (replayRun.value) replayRun.value = { ...replayRun.value, ...fields };
};

/** One at a time: each call looks at a part of the deliveries, and the next begins where it ended. */
export async function startReplay(request: ReplayDeliveriesRequest): Promise<void> {
  replayRun.value = { state: 'running', queued: 0, noLongerKept: 0, underWay: 0 };
  let cursor: string | undefined;
  try {
    do {
      const { queued, skipped, next_cursor } = await call('POST /deliveries/replay', {
        body: { ...request, ...(cursor !== undefined && { cursor }) },
      });
      const run = replayRun.value;
      if (!run) return;
      change({
        queued: run.queued + queued,
        noLongerKept: run.noLongerKept + skipped.no_longer_kept,
        underWay: run.underWay + skipped.under_way,
      });
      cursor = next_cursor ?? undefined;
    } while (cursor !== undefined && replayRun.peek()?.state === 'running');
    if (replayRun.peek()?.state === 'running') change({ state: 'done' });
  } catch (error) {
    change({ state: 'failed', problem: error instanceof Error ? error.message : String(error) });
  }
}
