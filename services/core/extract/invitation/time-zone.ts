/**
 * The offset of a time zone from UTC: by the VTIMEZONE that the calendar has for its name, which comes
 * first (RFC 5545 §3.2.19), else by the name if it is one of IANA.
 */
import type { CalendarComponent } from './calendar.ts';
import { type Change, changesOf, offsetMsOf, propertyOf } from './onsets.ts';

type TimeZone = {
  /** @param localMs a local time as if it were UTC; undefined when it cannot be computed exactly */
  ofLocal(localMs: number): number | undefined;
  ofUtc(utcMs: number): number | undefined;
};

/** Undefined for an unknown time zone. */
export function timeZoneOf(name: string, { components }: CalendarComponent): TimeZone | undefined {
  if (name === 'UTC') return FIXED_UTC;
  const described = components.find(
    (component) =>
      component.name === 'vtimezone' && propertyOf(component, 'tzid')?.value.trim() === name.trim(),
  );
  return described && described.components.length > 0
    ? describedZone(described)
    : namedZone(ianaName(name.trim()));
}

const FIXED_UTC: TimeZone = { ofLocal: () => 0, ofUtc: () => 0 };
const yearOf = (ms: number): number => new Date(ms).getUTCFullYear();

function describedZone(zone: CalendarComponent): TimeZone {
  const offsetAt = (ms: number, isAfter: (change: Change) => boolean): number | undefined => {
    const changes = changesOf(zone, yearOf(ms));
    return changes?.findLast(isAfter)?.toMs ?? changes?.[0]?.fromMs;
  };
  return {
    // of a time that occurs twice the first one, and before a gap its offset (RFC 5545 §3.3.5)
    ofLocal: (ms) =>
      offsetAt(ms, ({ utcMs, fromMs, toMs }) => ms >= utcMs + Math.max(fromMs, toMs)),
    ofUtc: (ms) => offsetAt(ms, ({ utcMs }) => ms >= utcMs),
  };
}

/** Some programs write `/example.org/20260101/America/Argentina/Salta`: at most three parts. */
function ianaName(name: string): string {
  if (!name.startsWith('/')) return name;
  const parts = name.split('/');
  const names = [3, 2, 1].map((count) => parts.slice(-count).join('/'));
  return names.find((one) => formatOf(one) !== undefined) ?? '';
}

const ZONE_MAX_CHARS = 64;
/**
 * Names of IANA without a slash. Others are abbreviations, which Intl takes for zones of old Java: BST
 * for Bangladesh. EST, MST and HST are fixed, but programs write them for zones with summer time.
 */
const SINGLE_NAMES = new Set(
  (
    'cet cst6cdt cuba eet egypt eire est5edt gb gb-eire gmt gmt+0 gmt-0 gmt0 greenwich hongkong ' +
    'iceland iran israel jamaica japan kwajalein libya met mst7mdt navajo nz nz-chat poland ' +
    'portugal prc pst8pdt roc rok singapore turkey uct universal utc w-su wet zulu'
  ).split(' '),
);
const AREAS = new Set(
  (
    'africa america antarctica arctic asia atlantic australia brazil canada chile etc europe indian ' +
    'mexico pacific us'
  ).split(' '),
);

function formatOf(name: string): Intl.DateTimeFormat | undefined {
  const lower = name.toLowerCase();
  if (
    name.length > ZONE_MAX_CHARS ||
    !(SINGLE_NAMES.has(lower) || (lower.includes('/') && AREAS.has(lower.split('/', 1)[0] ?? '')))
  )
    return undefined;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  } catch {
    return undefined; // no name of a time zone
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;

function namedZone(name: string): TimeZone | undefined {
  const format = formatOf(name);
  if (format === undefined) return undefined;
  return {
    ofLocal: (ms) => {
      const [before, after] = [offsetIn(format, ms - DAY_MS), offsetIn(format, ms + DAY_MS)];
      const candidates = [before, offsetIn(format, ms - before), after];
      // of a time that occurs twice the first one, and before a gap its offset (RFC 5545 §3.3.5)
      return candidates.find((offset) => offsetIn(format, ms - offset) === offset) ?? before;
    },
    ofUtc: (ms) => offsetIn(format, ms),
  };
}

/** From `12/1/2026, GMT+01:00`. */
function offsetIn(format: Intl.DateTimeFormat, utcMs: number): number {
  const name = format.formatToParts(utcMs).find(({ type }) => type === 'timeZoneName')?.value;
  return offsetMsOf(/GMT(.*)/.exec(name ?? '')?.[1] ?? '') ?? 0;
}
