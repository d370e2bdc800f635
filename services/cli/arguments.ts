/** Values of options: counts, times and durations. */
import { type Command, InvalidArgumentError } from 'commander';

const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export function countIn(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new InvalidArgumentError('It must be a whole number from 1.');
  return count;
}

/** A count, or `none`. */
export const countOrNone = (text: string): number | 'none' =>
  text === 'none' ? text : countIn(text);

/** A spam score, or `none`. The API checks its range. */
export function scoreOrNone(text: string): number | 'none' {
  if (text === 'none') return text;
  const score = Number(text);
  if (text.trim() === '' || !Number.isFinite(score))
    throw new InvalidArgumentError('It must be a number, such as 7.5, or none.');
  return score;
}

export type PageOptions = { limit: number; offset?: number };

/** Adds the options of {@link PageOptions}. */
export const paged = (command: Command, items: string): Command =>
  command
    .option('--limit <number>', `at most this number of ${items}`, countIn, 20)
    .option('--offset <number>', `skip this number of ${items}`, countIn);

/** Hours, or `account`: its value applies. */
export function hoursOrAccount(text: string): number | 'account' {
  if (text === 'account') return text;
  return wholeNumber(text, 'It must be a whole number from 0, or account.');
}

export const hoursIn = (text: string): number =>
  wholeNumber(text, 'It must be a whole number from 0.');

function wholeNumber(text: string, fault: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number)) throw new InvalidArgumentError(fault);
  return number;
}

/** Milliseconds of `30s`, `5m`, `1h` or `2d`. */
export function durationIn(text: string): number {
  const [, number, unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? [];
  if (number === undefined)
    throw new InvalidArgumentError('It must be a duration such as 30s, 5m, 1h or 2d.');
  return Number(number) * (UNIT_MS[unit] ?? 0);
}

/** An ISO time; a duration means that long ago. */
export function timeIn(text: string): string {
  if (/^\d+[smhd]$/.test(text)) return new Date(Date.now() - durationIn(text)).toISOString();
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('It must be a time such as 2026-11-22T08:00:00Z, or 1h.');
  return time.toISOString();
}

/** `key=value` pairs separated by commas; `none` for none. */
export function labelsIn(text: string): Record<string, string> {
  if (text === 'none') return {};
  const pairs = listIn(text).map((pair) => pair.split('='));
  if (pairs.some((pair) => pair.length !== 2 || pair.includes('')))
    throw new InvalidArgumentError('It must be key=value pairs such as team=shop,stage=test.');
  return Object.fromEntries(pairs) as Record<string, string>;
}

export const labelsText = (labels: Record<string, string>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',') || '-';

/** A time in whole seconds; a duration means after that time. */
export const endIn = (text: string): string =>
  `${(/^\d+[smhd]$/.test(text) ? new Date(Date.now() + durationIn(text)).toISOString() : timeIn(text)).slice(0, 19)}Z`;

/** Words separated by commas. */
export function listIn(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new InvalidArgumentError('It must be a comma-separated list.');
  return names;
}
