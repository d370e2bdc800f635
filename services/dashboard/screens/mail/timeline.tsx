/** What happened to an email, from its arrival to the next attempt. */
import { type ComponentChildren, Fragment } from 'preact';

import type { Delivery, Email } from '../../../core/api/api-types.generated.ts';
import { formatDuration } from '../../parts/format.ts';
import { plain } from '../../parts/plain-text.ts';
import type { Tone } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { emailText } from '../../strings/mail/email.ts';
import { rulingText } from '../../strings/mail/ruling.ts';
import { ExchangeView } from './cards/exchange-view.tsx';
import { unsentOf } from './mail-row.tsx';
import { endOf } from './end-of-delivery.ts';

type Attempt = Delivery['attempts'][number];
type Handling = Delivery['history'][number];
type Reason = NonNullable<NonNullable<Delivery['ruling']>['reason']>;

/** The beginning of the receiver's response. All of it is shown below. */
const REASON_MAX_CHARS = 200;

export function Timeline({ delivery, email }: { delivery: Delivery; email: Email | undefined }) {
  const { status, received_at, next_attempt_at, content_erased_at } = delivery;
  const unsent = unsentOf(delivery.outcome);
  return (
    <section class="card" aria-labelledby="timeline-title">
      <h2 id="timeline-title">{emailText.timeline}</h2>
      <ol class="timeline">
        <Step tone="good" title={emailText.received} at={received_at}>
          {email && <p dir="auto">{plain(emailText.receivedFrom(email))}</p>}
        </Step>
        {email && (
          <Step
            tone="good"
            title={emailText.parsed}
            note={emailText.parsedIn(formatDuration(email.metadata.processing_time_ms))}
          />
        )}
        {delivery.filter_error !== null && (
          <Step tone="wait" title={emailText.filter}>
            <p>{emailText.filterFailed(plain(delivery.filter_error))}</p>
          </Step>
        )}
        {stepsOf(delivery).map(({ key, step }) => (
          <Fragment key={key}>{step}</Fragment>
        ))}
        {next_attempt_at !== null && (
          <Step
            tone="wait"
            title={emailText.next}
            note={<Time at={next_attempt_at} as="relative" />}
          />
        )}
        {status === 'pending' && next_attempt_at === null && (
          <Step tone="plain" title={emailText.waiting} />
        )}
        {status === 'delivered' && unsent && (
          <Step tone="plain" title={emailText.unsent.title}>
            <p>{emailText.unsent[unsent]}</p>
          </Step>
        )}
        {status === 'held' && <Step tone="held" title={emailText.waitsForRelease} />}
        {status === 'failed' && (
          <Step tone="bad" title={emailText.ended[endOf(delivery)].title}>
            <p>{emailText.ended[endOf(delivery)].text}</p>
          </Step>
        )}
        {content_erased_at !== null && (
          <Step tone="plain" title={emailText.erasedTitle} at={content_erased_at} />
        )}
      </ol>
    </section>
  );
}

/** What rules, requests and attempts did, in the order in which it happened. */
function stepsOf({ attempts, attempt_count, history, ruling, received_at: after }: Delivery) {
  const firstShown = attempt_count - attempts.length + 1;
  const tried = attempts.map((attempt, n) => ({
    time: attempt.time,
    step: <AttemptStep attempt={attempt} number={firstShown + n} after={after} />,
  }));
  const done = history.map((one) => ({
    time: one.time,
    step: <HandlingStep handling={one} reason={ruling?.reason ?? null} after={after} />,
  }));
  return [...done, ...tried]
    .toSorted((one, other) => one.time.localeCompare(other.time))
    .map(({ time, step }, n) => ({ key: `${time} ${n}`, step }));
}

type HandlingProps = { handling: Handling; reason: Reason | null; after: string };

/** @param reason of rules, for what they did */
function HandlingStep({ handling, reason, after }: HandlingProps) {
  const { did, actor, by, time } = handling;
  const byRules = actor === 'inlet' && reason !== null ? rulingText.reasons[reason] : undefined;
  return (
    <Step
      tone={emailText.handled[did].tone}
      title={emailText.handled[did].title}
      at={time}
      after={after}
    >
      {byRules !== undefined && <p>{byRules}</p>}
      {actor !== 'inlet' && <p dir="auto">{emailText.handledBy(actor, by && plain(by))}</p>}
    </Step>
  );
}

type AttemptProps = { attempt: Attempt; number: number; after: string };

function AttemptStep({ attempt, number, after }: AttemptProps) {
  const { status_code, error, excerpt, latency_ms, location, outcome, time } = attempt;
  const answer =
    status_code === null ? emailText.outcomeOf(attempt) : emailText.responded(status_code);
  return (
    <Step
      tone={outcome === 'accepted' ? 'good' : 'bad'}
      title={emailText.attempt(number)}
      note={`${answer} · ${formatDuration(latency_ms)}`}
      at={time}
      after={after}
    >
      {error !== null && <p>{plain(error)}</p>}
      {outcome !== 'accepted' && excerpt !== null && excerpt.trim() !== '' && (
        <p class="attempt-reason" dir="auto">
          {plain(excerpt.trim().slice(0, REASON_MAX_CHARS))}
        </p>
      )}
      {location !== null && <p class="location">{emailText.location(plain(location))}</p>}
      <ExchangeView attempt={attempt} />
    </Step>
  );
}

type StepProps = {
  tone: Tone;
  title: string;
  note?: ComponentChildren;
  at?: string;
  /** When the email was received: the same day is not written twice. */
  after?: string;
  children?: ComponentChildren;
};

const isSameDay = (one: string, other: string): boolean =>
  new Date(one).toDateString() === new Date(other).toDateString();

const Step = ({ tone, title, note, at, after, children }: StepProps) => (
  <li class={`step tone-${tone}`}>
    <div class="step-head">
      <h3>{title}</h3>
      {note !== undefined && <span>{note}</span>}
      {at !== undefined && (
        <Time at={at} as={after !== undefined && isSameDay(at, after) ? 'clock' : 'second'} />
      )}
    </div>
    {children}
  </li>
);
