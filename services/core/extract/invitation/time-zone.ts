/**
 * The offset of a local time from UTC: by the IANA name of its time zone, else by the VTIMEZONE that
 * the calendar has for other names, such as those of Windows (RFC 5545 §3.6.5).
 */
import type { CalendarComponent, CalendarProperty } from './calendar.ts';

/** Undefined for an unknown time zone. @param localMs the local time as if it were UTC */
export function offsetAt(
  localMs: number,
  zone: string,
  calendar: CalendarComponent,
): number | undefined {
  return namedOffset(localMs, ianaName(zone)) ?? describedOffset(localMs, zone, calendar);
}

/** Some programs write `/example.org/20260101/Europe/Berlin`. */
const ianaName = (zone: string): string =>
  zone.startsWith('/') ? zone.split('/').slice(-2).join('/') : zone;

const ZONE_MAX_CHARS = 64;

function namedOffset(localMs: number, name: string): number | undefined {
  if (name.length > ZONE_MAX_CHARS || !/^[A-Za-z]/.test(name)) return undefined;
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
    // The offset depends on the time in UTC, which depends on the offset.
    return offsetIn(format, localMs - offsetIn(format, localMs));
  } catch {
    return undefined; // no name of a time zone
  }
}

/** From `12/1/2026, GMT+01:00`. */
function offsetIn(format: Intl.DateTimeFormat, utcMs: number): number {
  const name = format.formatToParts(utcMs).find(({ type }) => type === 'timeZoneName')?.value;
  return offsetMsOf(/GMT(.*)/.exec(name ?? '')?.[1] ?? '') ?? 0;
}

/** `+01:00`, or `+05:53:28` of former times. */
function offsetMsOf(text: string): number | undefined {
  const match = /^([+-])(\d\d):?(\d\d)(?::?(\d\d))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, hours, minutes, seconds = '0'] = match;
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -ms : ms;
}

/** A change between standard and daylight saving time. */
type Change = { atMs: number; fromMs: number; toMs: number };

const valueOf = (component: CalendarComponent, name: string): CalendarProperty | undefined =>
  component.properties.find((property) => property.name === name);

function describedOffset(
  localMs: number,
  zone: string,
  { components }: CalendarComponent,
): number | undefined {
  const described = components.find(
    (component) => component.name === 'vtimezone' && valueOf(component, 'tzid')?.value === zone,
  );
  const rules = described?.components ?? [];
  const year = new Date(localMs).getUTCFullYear();
  const changes = rules
    .slice(0, MAX_RULES)
    .map((rule) => [changeIn(rule, year - 1), changeIn(rule, year)]);
  const known = changes.flat().filter((change) => change !== undefined);
  const sorted = known.toSorted((a, b) => a.atMs - b.atMs);
  return sorted.findLast(({ atMs }) => atMs <= localMs)?.toMs ?? sorted[0]?.fromMs;
}

const MAX_RULES = 50;

/** The last change by a rule until the end of the year; undefined for a rule of another form. */
function changeIn(rule: CalendarComponent, year: number): Change | undefined {
  const start = valueOf(rule, 'dtstart')?.value ?? '';
  const [fromMs, toMs] = ['tzoffsetfrom', 'tzoffsetto'].map((name) =>
    offsetMsOf(valueOf(rule, name)?.value ?? ''),
  );
  const startMs = Date.parse(`${start}Z`);
  if (fromMs === undefined || toMs === undefined || Number.isNaN(startMs)) return undefined;
  const { rule: recurrence } = valueOf(rule, 'rrule') ?? {};
  if (recurrence === undefined) return { atMs: startMs, fromMs, toMs };
  const last = Math.min(
    year,
    Number(/^\d{4}/.exec(String(recurrence['until'] ?? ''))?.[0] ?? year),
  );
  const first = new Date(startMs).getUTCFullYear();
  const day = last < first ? undefined : dayOf(recurrence, last);
  return day === undefined
    ? undefined
    : { atMs: day + (((startMs % DAY_MS) + DAY_MS) % DAY_MS), fromMs, toMs };
}

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

/** A yearly rule such as `BYMONTH=10;BYDAY=-1SU`. */
function dayOf(recurrence: Readonly<Record<string, unknown>>, year: number): number | undefined {
  const month = Number(recurrence['bymonth']);
  const [, week, name = ''] =
    /^([+-]?[1-5])(SU|MO|TU|WE|TH|FR|SA)$/.exec(String(recurrence['byday'])) ?? [];
  if (recurrence['freq'] !== 'YEARLY' || !(month >= 1 && month <= 12) || week === undefined)
    return undefined;
  const [first, next] = [Date.UTC(year, month - 1), Date.UTC(year, month)];
  const weekday = DAYS.indexOf(name);
  if (Number(week) > 0) {
    const ahead = (weekday - new Date(first).getUTCDay() + 7) % 7;
    return first + (ahead + 7 * (Number(week) - 1)) * DAY_MS;
  }
  const back = (new Date(next - DAY_MS).getUTCDay() - weekday + 7) % 7;
  return next - (1 + back + 7 * (-Number(week) - 1)) * DAY_MS;
}
