/** A time in the viewer's zone. The exact time appears on hover. */
import { signal } from '@preact/signals';

import {
  formatClockSecond,
  formatDay,
  formatDayAndTime,
  formatExact,
  formatMoment,
  formatRelative,
  formatSecond,
} from './format.ts';

const TICK_MS = 1_000;

/** The present time, once a second, for countdowns. */
export const now = signal(new Date());
setInterval(() => void (now.value = new Date()), TICK_MS);

type Props = {
  at: string;
  /**
   * `moment`: 14:05 today, 3 May before; `clock`: 14:05:09; `second`: 14:05:09 today, 3 May, 14:05:09 before; `full`:
   * 3 May, 14:05; `day`: 3 May 2026; `relative`: in 5 minutes
   */
  as?: 'moment' | 'clock' | 'second' | 'full' | 'day' | 'relative';
};

export function Time({ at, as = 'moment' }: Props) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={formatExact(date)}>
      {textOf(date, as)}
    </time>
  );
}

function textOf(date: Date, as: NonNullable<Props['as']>): string {
  if (as === 'full') return formatDayAndTime(date, now.peek());
  if (as === 'clock') return formatClockSecond(date);
  if (as === 'second') return formatSecond(date, now.peek());
  if (as === 'day') return formatDay(date);
  return as === 'relative' ? formatRelative(date, now.value) : formatMoment(date, now.peek());
}

/** A fact in the head of a screen: since when. */
export const TimeFact = ({ label, ...time }: Props & { label: string }) => (
  <span>
    {label} <Time {...time} />
  </span>
);
