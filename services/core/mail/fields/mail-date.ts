/**
 * Reads a Date field (RFC 5322 §3.3, §4.3), and the other forms in which programs write it. Words
 * decide, not the order of all programs: a number beside a month is the day, the other one the year.
 */

const MONTHS =
  'january february march april may june july august september october november december'.split(
    ' ',
  );
/** RFC 5322 §4.3, in minutes; other names say nothing, and are UTC. */
const ZONES: Readonly<Record<string, number>> = {
  edt: -240,
  est: -300,
  cdt: -300,
  cst: -360,
  mdt: -360,
  mst: -420,
  pdt: -420,
  pst: -480,
};
const LENGTH_MAX_CHARS = 2_000;

type Found = {
  year?: number;
  month?: number;
  day?: number;
  time?: { hours: number; minutes: number; seconds: number; ms: number };
  offset?: number;
};

/**
 * Undefined for a text that is not a date with a time of day, and for a date that does not exist. One
 * without a zone is in UTC, wherever this machine is.
 */
export function readMailDate(field: string): Date | undefined {
  const found: Found = {};
  const words = withoutComments(field.slice(0, LENGTH_MAX_CHARS))
    .replace(/(\d)T(?=\d\d:\d\d)/, '$1 ')
    .split(/[\s,]+/)
    .filter((word) => word !== '');
  for (const word of words) if (!take(word, found)) return undefined;
  return dateOf(found);
}

/** Comments, also one that is not closed (RFC 5322 §3.2.2). */
function withoutComments(text: string): string {
  let [plain, depth] = ['', 0];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '\\' && depth > 0) at++;
    else if (char === '(') depth++;
    else if (char === ')') depth = Math.max(0, depth - 1);
    else if (depth === 0) plain += char;
    if (char === ')' && depth === 0) plain += ' ';
  }
  return plain;
}

/** @returns false when the word makes the text something else than a date */
function take(word: string, found: Found): boolean {
  const lower = word.toLowerCase().replace(/\.$/, '');
  if (found.time === undefined) {
    const time = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(.*)$/.exec(lower);
    if (time) {
      const [, hours, minutes, seconds = '0', fraction = '0', rest = ''] = time;
      found.time = {
        hours: Number(hours),
        minutes: Number(minutes),
        seconds: Number(seconds),
        ms: Math.floor(Number(`0.${fraction}`) * 1000),
      };
      return rest === '' || takeZone(rest, found);
    }
  } else if (takeZone(lower, found)) return true;
  // Days of the week say nothing new, in any language, nor do names of zones.
  return takeDate(lower, found) || found.time !== undefined || !/\d/.test(lower);
}

/** A number, a name, or both: `+0100`, `-600`, `GMT+01:00`, `Z`, `PM`. */
function takeZone(word: string, found: Found): boolean {
  const { time } = found;
  if (time && /^[ap]\.?m$/.test(word)) {
    if (time.hours > 12 || time.hours === 0) return true;
    time.hours = (time.hours % 12) + (word.startsWith('p') ? 12 : 0);
    return true;
  }
  const numeric = /^(?:gmt|utc?|z)?([+-])(\d{1,2}):?(\d{2})?$/.exec(threeDigits(word));
  if (numeric) {
    const [, sign, hours, minutes = '0'] = numeric;
    const size = Number(hours) * 60 + Number(minutes);
    if (Number(hours) > 23 || Number(minutes) > 59) found.offset ??= Number.NaN;
    else found.offset ??= sign === '-' ? -size : size;
    return true;
  }
  const named = ZONES[word];
  if (named !== undefined) found.offset ??= named;
  return named !== undefined || /^(?:gmt|utc?|z)$/.test(word);
}

/** `-600` is `-0600` (D39). */
const threeDigits = (word: string): string => word.replace(/([+-])(\d)(\d\d)$/, '$10$2$3');

function takeDate(word: string, found: Found): boolean {
  const ofWords = /^(\d{1,2})[-/.]([a-z]{3,9})[-/.](\d{2,5})$/.exec(word);
  if (ofWords) {
    const [, day = '', month = '', year = ''] = ofWords;
    return setMonth(month, found) && setDay(day, found) && setYear(year, found);
  }
  const iso = /^(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})$/.exec(word);
  if (iso) {
    const [, year = '', month = '', day = ''] = iso;
    found.month ??= Number(month) - 1;
    return setDay(day, found) && setYear(year, found);
  }
  const numbers = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})$/.exec(word);
  if (numbers) {
    const [, first = '', , second = '', year = ''] = numbers;
    const [one, other] = [Number(first), Number(second)];
    if (one <= 12 && other <= 12 && one !== other) return false; // either could be the month
    found.month ??= (one <= 12 ? one : other) - 1;
    return setDay(one <= 12 ? second : first, found) && setYear(year, found);
  }
  if (/^\d+(?:st|nd|rd|th)?$/.test(word)) {
    const digits = word.replace(/\D+$/, '');
    if (digits.length <= 2 && found.day === undefined) return setDay(digits, found);
    return found.year === undefined && setYear(digits, found);
  }
  return found.month === undefined && setMonth(word, found);
}

function setMonth(word: string, found: Found): boolean {
  const month = word.length < 3 ? -1 : MONTHS.findIndex((name) => name.startsWith(word));
  if (month === -1) return false;
  found.month ??= month;
  return true;
}

function setDay(digits: string, found: Found): boolean {
  found.day ??= Number(digits);
  return true;
}

/** RFC 5322 §4.3: years of two and three digits. */
function setYear(digits: string, found: Found): boolean {
  if (digits.length > 4) return false;
  const year = Number(digits);
  const century = digits.length === 2 && year < 50 ? 2000 : digits.length < 4 ? 1900 : 0;
  found.year ??= year + century;
  return true;
}

function dateOf({ year, month, day, time, offset = 0 }: Found): Date | undefined {
  if (year === undefined || month === undefined || day === undefined || time === undefined)
    return undefined;
  const { hours, minutes, seconds, ms } = time;
  if (hours > 23 || minutes > 59 || seconds > 60 || month > 11 || Number.isNaN(offset))
    return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  if (date.getUTCMonth() !== month || date.getUTCDate() !== day) return undefined; // 31 February
  const isLeap = seconds === 60;
  date.setUTCHours(hours, minutes - offset, isLeap ? 59 : seconds, ms);
  if (isLeap) {
    // Leap seconds stand at the end of a day in UTC, and Date counts them as the next second.
    if (date.getUTCHours() !== 23 || date.getUTCMinutes() !== 59) return undefined;
    date.setTime(date.getTime() + 1000);
  }
  const isShown = date.getUTCFullYear() >= 0 && date.getUTCFullYear() <= 9999;
  return isShown ? date : undefined;
}
