/** The progress of a bulk replay, above every screen while it runs. */
import { formatCount } from '../../parts/format.ts';
import { replayText } from '../../strings/replay.ts';
import { dismissReplay, replayRun, stopReplay } from './replay-run.ts';

export function ReplayProgress() {
  const run = replayRun.value;
  if (!run) return null;
  const { state, queued, noLongerKept, underWay, problem } = run;
  const isRunning = state === 'running';
  return (
    <div class={state === 'failed' ? 'notice notice-bad' : 'notice'} role="status">
      <span>
        {state === 'failed' && `${replayText.failed} ${problem}. `}
        {isRunning
          ? `${replayText.running(formatCount(queued))} ${replayText.leave}`
          : replayText.done(formatCount(queued), formatCount(noLongerKept + underWay))}{' '}
        {noLongerKept > 0 && replayText.noLongerKept(formatCount(noLongerKept))}{' '}
        {underWay > 0 && replayText.underWay(formatCount(underWay))}
      </span>
      <button type="button" onClick={isRunning ? stopReplay : dismissReplay}>
        {isRunning ? replayText.stop : replayText.dismiss}
      </button>
    </div>
  );
}
