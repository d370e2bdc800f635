/**
 * The changes of a time zone that a calendar describes (VTIMEZONE, RFC 5545 §3.6.5), as far as they
 * can be computed exactly.
 */
import type { CalendarComponent, CalendarProperty } from './calendar.ts';

/** A change of the offset from UTC. */
export type Change = { utcMs: number; fromMs: number; toMs: number };

const MAX_RULES = 50;
const MAX_DATES = 500;
/** Years before a date that may have the last onset of a rule. February 29th may be missing for 8. */
const MAX_YEARS = 12;
const MAX_COUNT = 200;
/** The most values of one part of a rule, such as BYMONTHDAY. */
const MAX_VALUES = 31;
const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

export const propertyOf = (component: CalendarComponent, name: string) =>
  component.properties.find((property) => property.name === name);

/** `+01:00`, or `+05:53:28` of former times. */
export function offsetMsOf(text: string): number | undefined {
  const match = /^([+-])(\d\d):?(\d\d)(?::?(\d\d))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, hours, minutes, seconds = '0'] = match;
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -ms : ms;
}

/**
 * The last changes until the year after `year`, of each rule, in their order. Undefined when one of
 * the rules has another form.
 */
export function changesOf(zone: CalendarComponent, year: number): Change[] | undefined {
  const rules = zone.components.filter(({ name }) => name === 'standard' || name === 'daylight');
  if (rules.length > MAX_RULES) return undefined;
  const changes: Change[] = [];
  for (const rule of rules) {
    const [fromMs, toMs] = ['tzoffsetfrom', 'tzoffsetto'].map((name) =>
      offsetMsOf(propertyOf(rule, name)?.value ?? ''),
    );
    if (fromMs === undefined || toMs === undefined) return undefined;
    const onsets = onsetsOf(rule, fromMs, year);
    if (onsets === undefined) return undefined;
    for (const localMs of onsets) changes.push({ utcMs: localMs - fromMs, fromMs, toMs });
  }
  return changes.toSorted((a, b) => a.utcMs - b.utcMs);
}

/** In the local time before the change, as if that were UTC. */
function onsetsOf(rule: CalendarComponent, fromMs: number, year: number): number[] | undefined {
  const startMs = localMsOf(propertyOf(rule, 'dtstart')?.value);
  const dates = rule.properties
    .filter(({ name }) => name === 'rdate')
    .flatMap(({ values }) => values)
    .map((value) => (value.endsWith('Z') ? undefined : localMsOf(value)));
  const rules = rule.properties.filter(({ name }) => name === 'rrule');
  const isOther = rules.length > 1 || rule.properties.some(({ name }) => name === 'exdate');
  if (startMs === undefined || isOther || dates.length > MAX_DATES) return undefined;
  const repeated = rules[0] === undefined ? [] : repeatedOnsets(rules[0], startMs, fromMs, year);
  if (repeated === undefined || dates.includes(undefined)) return undefined;
  return [startMs, ...(dates as number[]), ...repeated];
}

function localMsOf(text: string | undefined): number | undefined {
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(text ?? '') ? Date.parse(`${text}Z`) : NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

const READ_PARTS = new Set(
  'freq interval until count bymonth byday bymonthday bysetpos wkst'.split(' '),
);

/** The onsets of a yearly rule in `year`, in the year after it, and the last ones before them. */
function repeatedOnsets(
  { rule = {} }: CalendarProperty,
  startMs: number,
  fromMs: number,
  year: number,
): number[] | undefined {
  const isKnown = Object.keys(rule).every((part) => READ_PARTS.has(part));
  if (!isKnown || rule['freq'] !== 'YEARLY') return undefined;
  const interval = Number(rule['interval'] ?? 1);
  const untilMs = untilOf(rule['until'], fromMs);
  if (!(interval >= 1) || untilMs === undefined) return undefined;
  const firstYear = new Date(startMs).getUTCFullYear();
  const time = ((startMs % DAY_MS) + DAY_MS) % DAY_MS;
  const onsetsIn = (one: number): number[] | undefined =>
    daysOf(rule, one, startMs)
      ?.map((day) => day + time)
      .filter((ms) => ms >= startMs && ms <= untilMs);
  if (rule['count'] !== undefined)
    return countedOnsets(Number(rule['count']), firstYear, interval, onsetsIn);
  const lastYear = Math.min(year + 1, new Date(untilMs).getUTCFullYear());
  const found: number[] = [];
  const latest = lastYear - ((((lastYear - firstYear) % interval) + interval) % interval);
  for (let one = latest; one >= firstYear && one > latest - MAX_YEARS * interval; one -= interval) {
    const onsets = onsetsIn(one);
    if (onsets === undefined) return undefined;
    found.push(...onsets);
    if (one < year && onsets.length > 0) break;
  }
  return found;
}

function countedOnsets(
  count: number,
  firstYear: number,
  interval: number,
  onsetsIn: (year: number) => number[] | undefined,
): number[] | undefined {
  if (!(count >= 1 && count <= MAX_COUNT)) return undefined;
  const found: number[] = [];
  for (let year = firstYear; found.length < count; year += interval) {
    const onsets = year > firstYear + MAX_COUNT * interval ? undefined : onsetsIn(year);
    if (onsets === undefined) return undefined;
    found.push(...onsets.slice(0, count - found.length));
  }
  return found;
}

/** In local time; undefined for another form. A date covers its whole day. */
function untilOf(until: unknown, fromMs: number): number | undefined {
  if (until === undefined) return Date.UTC(9999, 0);
  const text = String(until);
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return Date.parse(`${text}T23:59:59Z`);
  const ms = localMsOf(text.replace(/Z$/, ''));
  return ms === undefined ? undefined : text.endsWith('Z') ? ms + fromMs : ms;
}

const listOf = (value: unknown): unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

/** The days of a year that the rule chooses (RFC 5545 §3.3.10), in their order. */
function daysOf(
  rule: Readonly<Record<string, unknown>>,
  year: number,
  startMs: number,
): number[] | undefined {
  const start = new Date(startMs);
  const [months, monthDays, positions] = ['bymonth', 'bymonthday', 'bysetpos'].map((part) =>
    listOf(rule[part]).map(Number),
  ) as [number[], number[], number[]];
  const weekdays = listOf(rule['byday']).map(weekdayOf);
  const isPlain = weekdays.length === 0 && monthDays.length === 0;
  const isLong = [months, monthDays, positions, weekdays].some(({ length }) => length > MAX_VALUES);
  const isNumbers = [...months, ...monthDays, ...positions].every(Number.isInteger);
  if (isLong || !isNumbers || weekdays.includes(undefined)) return undefined;
  // `2SU` counts within the months of the rule, without months within the year
  if (months.length === 0 && !isPlain) return undefined;
  const read = new Set(months.length > 0 ? months : [start.getUTCMonth() + 1]);
  const days = [...read].flatMap((month) =>
    Array.from({ length: daysIn(year, month) }, (_, at) => at + 1)
      .filter((day) =>
        isPlain
          ? day === start.getUTCDate()
          : isChosen({ year, month, day }, monthDays, weekdays as Weekday[]),
      )
      .map((day) => Date.UTC(year, month - 1, day)),
  );
  const sorted = days.toSorted((a, b) => a - b);
  if (positions.length === 0) return sorted;
  return sorted.filter(
    (_, at) => positions.includes(at + 1) || positions.includes(at - sorted.length),
  );
}

type Weekday = { week: number; day: number };

/** `week` is 0 for every week, and negative from the end of the month. */
function weekdayOf(text: unknown): Weekday | undefined {
  const [, week = '0', name = ''] =
    /^([+-]?[1-5])?(SU|MO|TU|WE|TH|FR|SA)$/.exec(String(text)) ?? [];
  return name === '' ? undefined : { week: Number(week), day: DAYS.indexOf(name) };
}

const daysIn = (year: number, month: number): number =>
  new Date(Date.UTC(year, month, 0)).getUTCDate();

function isChosen(
  { year, month, day }: { year: number; month: number; day: number },
  monthDays: readonly number[],
  weekdays: readonly Weekday[],
): boolean {
  const length = daysIn(year, month);
  const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay();
  const isMonthDay =
    monthDays.length === 0 || monthDays.includes(day) || monthDays.includes(day - length - 1);
  const isWeekday =
    weekdays.length === 0 ||
    weekdays.some(
      (one) =>
        one.day === weekday &&
        (one.week === 0 ||
          one.week === Math.ceil(day / 7) ||
          one.week === -Math.ceil((length - day + 1) / 7)),
    );
  return isMonthDay && isWeekday;
}
