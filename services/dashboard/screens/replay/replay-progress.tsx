/** The progress of a bulk replay, above every screen until the user dismisses it. */
import { useEffect } from 'preact/hooks';

import { session } from '../../session/session.ts';
import { formatCount } from '../../parts/format.ts';
import { replayText } from '../../strings/mail/replay.ts';
import { countText } from './count-text.ts';
import {
  continueReplay,
  dismissReplay,
  replayIsRunning,
  type ReplayRun,
  replayRun,
  stopReplay,
} from './replay-run.ts';

export function ReplayProgress() {
  // the cursor of one account must not continue in another
  useEffect(() => dismissReplay, [session.value?.session_id]);
  const run = replayRun.value;
  if (!run) return null;
  const { state, noLongerKept, underWay } = run;
  const isRunning = replayIsRunning();
  return (
    <div class={state === 'failed' ? 'notice notice-bad' : 'notice'} role="status">
      <span>
        {summaryOf(run)} {noLongerKept > 0 && replayText.noLongerKept(formatCount(noLongerKept))}{' '}
        {underWay > 0 && replayText.underWay(formatCount(underWay))}
      </span>
      {isRunning ? (
        <button type="button" disabled={state === 'stopping'} onClick={stopReplay}>
          {replayText.stop}
        </button>
      ) : (
        <>
          {state !== 'done' && (
            <button type="button" onClick={() => void continueReplay()}>
              {replayText.continue}
            </button>
          )}
          <button type="button" onClick={dismissReplay}>
            {replayText.dismiss}
          </button>
        </>
      )}
    </div>
  );
}

function summaryOf(run: ReplayRun): string {
  const { state, problem, queued, noLongerKept, underWay, expected } = run;
  const due = formatCount(queued);
  if (state === 'done') return replayText.done(due, formatCount(noLongerKept + underWay));
  const of = countText(expected);
  if (state === 'failed') return replayText.failed(problem ?? '', due, of);
  if (state === 'stopped') return replayText.stopped(due, of);
  return `${replayText.running(due, of)} ${replayText.leave}`;
}
