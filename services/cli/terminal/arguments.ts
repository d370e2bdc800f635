/** Values of options: counts, times and durations. */
import { type Command, InvalidArgumentError } from 'commander';

const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export function countIn(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new InvalidArgumentError('It must be a whole number from 1.');
  return count;
}

/** A spam score. The API checks its range. */
export function scoreIn(text: string): number {
  const score = Number(text);
  if (text.trim() === '' || !Number.isFinite(score))
    throw new InvalidArgumentError('It must be a number, such as 7.5.');
  return score;
}

/** A value, or the word for none, such as `none` or `account`. */
export const orWord =
  <T, Word extends string>(word: Word, parse: (text: string) => T) =>
  (text: string): T | Word => {
    if (text === word) return word;
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      throw new InvalidArgumentError(error.message.replace(/\.$/, `, or ${word}.`));
    }
  };

export type PageOptions = { limit: number; offset?: number };

/** Adds the options of {@link PageOptions}. */
export const paged = (command: Command, items: string): Command =>
  command
    .option('--limit <number>', `at most this number of ${items}`, countIn, 20)
    .option('--offset <number>', `skip this number of ${items}`, countIn);

/** Adds --sender, --recipient and --subject. */
export const searching = (command: Command): Command =>
  command
    .option(
      '--sender <text>',
      'only those from an address, a domain such as @example.com, or a name',
    )
    .option('--recipient <text>', 'only those to a mailbox: an address, a domain, or words of it')
    .option('--subject <words>', 'only those with all these words in the subject');

export function hoursIn(text: string): number {
  const hours = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(hours))
    throw new InvalidArgumentError('It must be a whole number from 0.');
  return hours;
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
