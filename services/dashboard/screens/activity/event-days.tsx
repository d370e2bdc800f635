/** Events by day, newest first. Repeated ones are one row, which opens. */
import type { UsageEvent } from '../../../core/api/api-types.generated.ts';
import { formatCount, formatDay } from '../../parts/format.ts';
import { Time } from '../../parts/time.tsx';
import { activityText } from '../../strings/activity.ts';
import { About, Who, whoOf } from './about.tsx';

/** Fewer in a row are shown one by one. */
const REPEATED_MIN = 3;

export const EventDays = ({ events }: { events: readonly UsageEvent[] }) => (
  <div class="event-days">
    {[...Map.groupBy(events, dayOf)].map(([day, ofDay]) => (
      <section key={day} aria-label={day}>
        <h2>{day}</h2>
        <ol class="events">
          {inRuns(ofDay).map((run) =>
            run.length < REPEATED_MIN ? (
              run.map((event) => <Row key={event.id} event={event} />)
            ) : (
              <Repeated key={run[0]?.id} run={run} />
            ),
          )}
        </ol>
      </section>
    ))}
  </div>
);

const dayOf = ({ timestamp }: UsageEvent): string => formatDay(new Date(timestamp));

/** The same happened, caused by the same. */
const kindOf = ({ type, data }: UsageEvent): string => `${type} ${whoOf(data).text}`;

function inRuns(events: readonly UsageEvent[]): UsageEvent[][] {
  const runs: UsageEvent[][] = [];
  for (const event of events) {
    const run = runs.at(-1);
    if (run?.[0] && kindOf(run[0]) === kindOf(event)) run.push(event);
    else runs.push([event]);
  }
  return runs;
}

const nameOf = ({ type }: UsageEvent): string => activityText.types[type] ?? type;

const Row = ({ event }: { event: UsageEvent }) => (
  <li data-row>
    <Time at={event.timestamp} as="clock" />
    <strong>{nameOf(event)}</strong>
    <span class="event-about">
      <About event={event} />
    </span>
    <Who event={event} />
  </li>
);

function Repeated({ run }: { run: readonly UsageEvent[] }) {
  const [newest] = run;
  const oldest = run.at(-1);
  if (!newest || !oldest) return null;
  return (
    <li class="event-run" data-row>
      <details>
        <summary>
          <Time at={newest.timestamp} as="clock" />
          <strong>{nameOf(newest)}</strong>
          <span class="tag">{activityText.times(formatCount(run.length))}</span>
          <span class="soft">
            {activityText.since} <Time at={oldest.timestamp} as="clock" />
          </span>
        </summary>
        <ol class="events">
          {run.map((event) => (
            <Row key={event.id} event={event} />
          ))}
        </ol>
      </details>
    </li>
  );
}
