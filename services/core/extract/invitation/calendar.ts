/** Reads iCalendar text (RFC 5545) into components, as far as invitations need it. */
import ICAL from 'ical.js';

export type CalendarProperty = {
  /** In lower case, as all names here. */
  name: string;
  parameters: Readonly<Record<string, string>>;
  value: string;
  /** The values of a list such as that of RDATE; a period of time is an empty value. */
  values: readonly string[];
  /** The parts of a recurrence rule; undefined for other values. */
  rule: Readonly<Record<string, unknown>> | undefined;
  /** The property as iCalendar text, on one line. */
  line: string;
};
export type CalendarComponent = {
  name: string;
  properties: CalendarProperty[];
  components: CalendarComponent[];
};

/** All others are dropped before the text is parsed, such as files and HTML. */
const PROPERTIES = new Set(
  (
    'BEGIN END METHOD UID SEQUENCE STATUS ORGANIZER ATTENDEE SUMMARY LOCATION DTSTART DTEND ' +
    'DURATION RRULE RDATE EXDATE RECURRENCE-ID TZID TZOFFSETFROM TZOFFSETTO'
  ).split(' '),
);
const LINE_MAX_CHARS = 8 * 1024;
/** Limits for the lines that are parsed; the rest is left out. */
const [LINES_MAX, LINES_MAX_CHARS] = [5_000, 256 * 1024];

/**
 * Lines without folds (RFC 5545 §3.1), before they become text: a program may fold within a character
 * of UTF-8.
 */
export function unfoldedBytes(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replace(/\r?\n[ \t]/g, ''), 'latin1');
}

/** Undefined for text that is not a calendar. */
export function readCalendar(text: string): CalendarComponent | undefined {
  try {
    const parsed = ICAL.parse(knownLines(text).join('\r\n')) as JCal | JCal[];
    const calendar = Array.isArray(parsed[0]) ? parsed[0] : (parsed as JCal); // several are a list
    return calendar[0] === 'vcalendar' ? componentOf(calendar) : undefined;
  } catch {
    return undefined;
  }
}

/** A date without a time, as some programs write it: RFC 5545 §3.8.2.4 wants `VALUE=DATE`. */
const BARE_DATE = /^(DTSTART|DTEND|RECURRENCE-ID|EXDATE|RDATE):(?=\d{8}$)/i;

/**
 * Lines that are read, without the folds of text in UTF-16, mended where programs write them wrong.
 * Components that the limits cut are closed.
 */
function knownLines(text: string): string[] {
  const lines: string[] = [];
  const open: string[] = [];
  let chars = 0;
  for (const line of text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/)) {
    const name = /^[A-Za-z-]{1,20}(?=[:;])/.exec(line)?.[0].toUpperCase() ?? '';
    if (!PROPERTIES.has(name) || line.length > LINE_MAX_CHARS || /^RRULE:$/i.test(line)) continue;
    chars += line.length;
    if (lines.length >= LINES_MAX || chars > LINES_MAX_CHARS)
      return [...lines, ...open.toReversed().map((component) => `END:${component}`)];
    if (name === 'BEGIN') open.push(line.slice('BEGIN:'.length));
    if (name === 'END') open.pop();
    lines.push(line.replace(BARE_DATE, '$1;VALUE=DATE:'));
  }
  return lines;
}

/** JSON of a calendar (RFC 7265). */
type JCal = [name: string, properties: JCalProperty[], components: JCal[]];
type JCalProperty = [
  name: string,
  parameters: Record<string, string | string[]>,
  type: string,
  ...values: unknown[],
];

const componentOf = ([name, properties, components]: JCal): CalendarComponent => ({
  name,
  properties: properties.map(propertyOf),
  components: components.map(componentOf),
});

function propertyOf(property: JCalProperty): CalendarProperty {
  const [name, parameters, type, ...all] = property;
  const values = all.map((one) => (typeof one === 'object' ? '' : String(one ?? '')));
  return {
    name,
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([key, one]) => [key, String(one)]),
    ),
    value: values[0] ?? '',
    values,
    rule: type === 'recur' ? (all[0] as Record<string, unknown>) : undefined,
    line: ICAL.stringify.property(property, ICAL.design.icalendar, true),
  };
}
