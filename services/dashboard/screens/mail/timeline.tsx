/** What happened to an email, from its arrival to the next attempt. */
import type { ComponentChildren } from 'preact';

import type { Delivery, Email } from '../../../core/api/api-types.generated.ts';
import { formatDuration } from '../../parts/format.ts';
import { plain } from '../../parts/plain-text.ts';
import type { Tone } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { emailText } from '../../strings/mail/email.ts';
import { ExchangeView } from './cards/exchange-view.tsx';
import { unsentOf } from './mail-row.tsx';
import { endOf } from './end-of-delivery.ts';

type Attempt = Delivery['attempts'][number];

export function Timeline({ delivery, email }: { delivery: Delivery; email: Email | undefined }) {
  const { attempts, attempt_count, status, received_at, next_attempt_at, released_at } = delivery;
  const unsent = unsentOf(delivery.outcome);
  const firstShown = attempt_count - attempts.length + 1;
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
        <Step tone="good" title={emailText.queued}>
          {delivery.filter_error !== null && (
            <p>{emailText.filterFailed(plain(delivery.filter_error))}</p>
          )}
        </Step>
        {released_at !== null && <Step tone="good" title={emailText.releasedAt} at={released_at} />}
        {attempts.map((attempt, n) => (
          <AttemptStep key={attempt.time + String(n)} attempt={attempt} number={firstShown + n} />
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
        {status === 'held' && <Step tone="wait" title={emailText.held} />}
        {status === 'dropped' && <Step tone="plain" title={emailText.wasDropped} />}
        {status === 'failed' && (
          <Step tone="bad" title={emailText.ended[endOf(delivery)].title}>
            <p>{emailText.ended[endOf(delivery)].text}</p>
          </Step>
        )}
      </ol>
    </section>
  );
}

function AttemptStep({ attempt, number }: { attempt: Attempt; number: number }) {
  const { status_code, error, latency_ms, location, outcome, time } = attempt;
  const answer =
    status_code === null ? emailText.outcomeOf(attempt) : emailText.responded(status_code);
  return (
    <Step
      tone={outcome === 'accepted' ? 'good' : 'bad'}
      title={emailText.attempt(number)}
      note={`${answer} · ${formatDuration(latency_ms)}`}
      at={time}
    >
      {error !== null && <p>{plain(error)}</p>}
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
  children?: ComponentChildren;
};

const Step = ({ tone, title, note, at, children }: StepProps) => (
  <li class={`step step-${tone}`}>
    <div class="step-head">
      <h3>{title}</h3>
      {note !== undefined && <span>{note}</span>}
      {at !== undefined && <Time at={at} as="second" />}
    </div>
    {children}
  </li>
);
