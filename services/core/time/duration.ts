/** Durations in settings: `20ms`, `1s`, `5m`, `8h`, `3d`; zero needs no unit. */
import { z } from 'zod';

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration in milliseconds; `undefined` when the text is not one. */
export function durationMs(text: string): number | undefined {
  if (text.trim() === '0') return 0;
  const match = /^(\d+)(ms|s|m|h|d)$/.exec(text.trim());
  const unit = match && UNITS[match[2] ?? ''];
  return unit ? Number(match[1]) * unit : undefined;
}

/** A setting that is one duration; its value is in milliseconds. */
export const Duration = z.string().transform((text, context) => {
  const ms = durationMs(text);
  if (ms !== undefined) return ms;
  context.addIssue({
    code: 'custom',
    message: `"${text}" is not a duration such as 30s, 5m or 72h`,
  });
  return z.NEVER;
});

/** A setting that is a comma-separated list of durations; its value is in milliseconds. */
export const DurationList = z.string().transform((text, context) => {
  const list = text
    .split(',')
    .filter((part) => part.trim() !== '')
    .map(durationMs);
  if (list.every((ms) => ms !== undefined)) return list;
  context.addIssue({
    code: 'custom',
    message: `"${text}" is not a list of durations such as 1s,1m,5m`,
  });
  return z.NEVER;
});
