/** Events by day, newest first. Repeated ones are one row, which opens. */
import type { UsageEvent } from '../../../core/api/api-types.generated.ts';
import { formatCount } from '../../parts/format.ts';
import { Time } from '../../parts/time.tsx';
import { activityText } from '../../strings/activity.ts';
import type { Names } from './actor-text.ts';
import { About, Who } from './about.tsx';
import { REPEATED_MIN, type Run } from './event-runs.ts';

export const EventDays = ({ runs, names }: { runs: readonly Run[]; names: Names }) => (
  <div class="event-days">
    {[...Map.groupBy(runs, ({ day }) => day)].map(([day, ofDay]) => (
      <section key={day} aria-label={day}>
        <h2>{day}</h2>
        <ol class="events">
          {ofDay.map(({ events }) =>
            events.length < REPEATED_MIN ? (
              events.map((event) => <Row key={event.id} {...{ event, names }} />)
            ) : (
              <Repeated key={events[0]?.id} run={events} names={names} />
            ),
          )}
        </ol>
      </section>
    ))}
  </div>
);

const nameOf = ({ type }: UsageEvent): string => activityText.types[type] ?? type;

const Row = ({ event, names }: { event: UsageEvent; names: Names }) => (
  <li data-row>
    <Time at={event.timestamp} as="clock" />
    <strong>{nameOf(event)}</strong>
    <span class="event-about">
      <About {...{ event, names }} />
    </span>
    <Who {...{ event, names }} />
  </li>
);

function Repeated({ run, names }: { run: readonly UsageEvent[]; names: Names }) {
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
            <Row key={event.id} {...{ event, names }} />
          ))}
        </ol>
      </details>
    </li>
  );
}
