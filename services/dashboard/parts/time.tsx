/** A time in the viewer's zone. The exact time appears on hover. */
import { signal } from '@preact/signals';

import { formatDayAndTime, formatExact, formatMoment, formatRelative } from './format.ts';

const TICK_MS = 1_000;

/** The present time, once a second, for what counts down. */
export const now = signal(new Date());
setInterval(() => void (now.value = new Date()), TICK_MS);

type Props = {
  at: string;
  /** `moment`: 14:05 today, 3 May before; `full`: 3 May, 14:05; `relative`: in 5 minutes */
  as?: 'moment' | 'full' | 'relative';
};

export function Time({ at, as = 'moment' }: Props) {
  const date = new Date(at);
  const text =
    as === 'full'
      ? formatDayAndTime(date)
      : as === 'relative'
        ? formatRelative(date, now.value)
        : formatMoment(date, now.peek());
  return (
    <time dateTime={at} title={formatExact(date)}>
      {text}
    </time>
  );
}
