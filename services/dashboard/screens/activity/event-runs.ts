/** Rows of the activity: one can stand for many events that repeat each other. */
import type { UsageEvent } from '../../../core/api/api-types.generated.ts';
import { formatDay } from '../../parts/format.ts';
import { actorText } from './actor-text.ts';

/** Events that follow each other, of the same type and caused by the same, on one day. */
export type Run = { day: string; events: UsageEvent[] };

const ROWS = 50;
/** Fewer in a row are shown one by one. */
export const REPEATED_MIN = 3;

const rowsOf = ({ events }: Run): number => (events.length < REPEATED_MIN ? events.length : 1);

/** The runs of a page. Undefined when they do not fill it, and there are more events to ask for. */
export function firstRows(
  all: readonly Run[],
  mayGrow: boolean,
): { runs: Run[] | undefined; shown: number } {
  const runs: Run[] = [];
  let [rows, shown] = [0, 0];
  for (const run of all) {
    if (rows >= ROWS) return { runs, shown };
    runs.push(run);
    rows += rowsOf(run);
    shown += run.events.length;
  }
  return { runs: mayGrow ? undefined : runs, shown };
}

const dayOf = ({ timestamp }: UsageEvent): string => formatDay(new Date(timestamp));

const kindOf = (event: UsageEvent): string =>
  `${dayOf(event)} ${event.type} ${actorText(event.data).text}`;

export function inRuns(events: readonly UsageEvent[]): Run[] {
  const runs: Run[] = [];
  for (const event of events) {
    const first = runs.at(-1)?.events[0];
    if (first && kindOf(first) === kindOf(event)) runs.at(-1)?.events.push(event);
    else runs.push({ day: dayOf(event), events: [event] });
  }
  return runs;
}
