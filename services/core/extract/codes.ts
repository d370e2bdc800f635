/**
 * Codes for logins and confirmations in the visible text of an email. Every candidate gets points
 * for the words around it; those that name another number outweigh those that name a code.
 */
import { type Candidate, candidatesOf } from './code-candidates.ts';
import { saysBooking, saysPromotion, saysReceipt, type Word, wordsIn } from './code-context.ts';
import { type Line, LINE_MAX_CHARS, linesOf } from './code-lines.ts';
import { CONFIRMATION, PAYMENT, UNITS } from './other-words.ts';
import { type Code, CODES_MAX } from './extraction.ts';
import { cutText } from '../text/text.ts';

type VisibleText = { source: Code['source']; text: string };

const CANDIDATES_MAX = 100;
const NEAR_MAX_CHARS = 120;
/** So much of the line is read before and after a candidate. */
const WINDOW_CHARS = 100;
/** The beginning of this length says what an email is about. */
const TOPIC_CHARS = 3_000;

const ENOUGH = { digits: 6, alphanumeric: 6.5 } as const;
const SENTENCE_END = /(?<!\brs)[.!?](?=\s)|[。！？]/g; // `Rs. 1500`
const YEAR = /^(19|20)\d\d$/;
/** The beginning of a commit's id, rather than a code, without more evidence. */
const COMMIT = /^[0-9a-f]{7,12}$/;

/** A subject that is nothing but a code, in an email about codes for logins. */
const WHOLE_SUBJECT = 4;

/** A subject that ends with a code after a colon. */
const subjectPoints = (
  source: Code['source'],
  { text }: Line,
  { start, end }: Candidate,
): number =>
  source === 'subject' && end === text.length && /[:：]\s?$/.test(text.slice(0, start)) ? 1 : 0;

type Topic = { points: number; isBooking: boolean; isReceipt: boolean };
type Scored = Code & { points: number };

/** Best first; empty when there are none. */
export function codesIn(texts: readonly VisibleText[]): Code[] {
  const read = texts.map(({ source, text }) => ({
    source,
    lines: linesOf(text),
  }));
  const topic = topicOf(read.map(({ lines }) => lines.map(({ lower }) => lower).join(' ')));
  const best = new Map<string, Scored>();
  let examined = 0;
  for (const { source, lines } of read)
    for (const [at, line] of lines.entries()) {
      if (examined >= CANDIDATES_MAX) break;
      for (const candidate of candidatesOf(line.text).slice(0, CANDIDATES_MAX - examined)) {
        examined++;
        const { value, kind } = candidate;
        const isWhole =
          source === 'subject' && line.text.length === candidate.end - candidate.start;
        const points = isWhole
          ? topic.points * WHOLE_SUBJECT
          : pointsOf(candidate, lines, at, topic) + subjectPoints(source, line, candidate);
        if (points >= ENOUGH[kind] && points > (best.get(value)?.points ?? 0))
          best.set(value, {
            value,
            kind,
            source,
            near: nearOf(lines, at, candidate),
            points,
          });
      }
    }
  return [...best.values()]
    .toSorted((a, b) => b.points - a.points)
    .slice(0, CODES_MAX)
    .map(({ points: _points, ...code }) => code);
}

function topicOf(texts: readonly string[]): Topic {
  const start = texts.map((text) => text.slice(0, TOPIC_CHARS)).join(' ');
  const kinds = new Set(wordsIn(start).map(({ kind }) => kind));
  const points = kinds.has('strong') ? 2 : kinds.has('weak') || kinds.has('action') ? 1 : 0;
  return { points, isBooking: saysBooking(start), isReceipt: saysReceipt(start) };
}

function pointsOf(one: Candidate, lines: readonly Line[], at: number, topic: Topic): number {
  const { lower } = lines[at] as Line;
  const before = lower.slice(Math.max(0, one.start - WINDOW_CHARS), one.start);
  const after = lower.slice(one.end, one.end + WINDOW_CHARS);
  if (isUnit(after)) return 0;
  const isAlone = !/[\p{L}\d]/u.test(before) && !/[\p{L}\d]/u.test(after);
  const leads = !/[\p{L}\d]/u.test(before);
  const above = lines.slice(Math.max(0, at - 3), at).toReversed();
  const [previous] = above;
  const mayLookUp = isAlone || (leads && previous !== undefined && /[:：]$/.test(previous.lower));

  const left = pointsBefore(before);
  const right = pointsAfter(after);
  const up = mayLookUp && left.points === 0 ? pointsAbove(above) : NOTHING;
  const down = isAlone ? pointsBelow(lines[at + 1]) : NOTHING;
  if (left.isOther || up.isOther) return 0;
  const isAsked = left.kind === 'action' && right.kind === 'action'; // `enter 123456 to sign in`
  const both = isAsked ? { ...left, points: left.points + right.points } : NOTHING;
  const word = [left, up, right, down, both].toSorted((a, b) => b.points - a.points)[0] ?? NOTHING;
  if (YEAR.test(one.value) && !(word.kind === 'strong' && (isAlone || word.isNext))) return 0;
  if (one.kind === 'alphanumeric' && word.kind !== 'strong' && word.kind !== 'weak') return 0;
  if (word.kind !== 'strong') {
    if (one.kind === 'alphanumeric' && COMMIT.test(one.value)) return 0;
    // `x2apic code`: a name before the word rather than after it
    if (one.kind === 'alphanumeric' && right === word && /^\p{Ll}/u.test(one.value)) return 0;
    const around = `${previous?.lower ?? ''} ${lower} ${lines[at + 1]?.lower ?? ''}`;
    if (saysPromotion(around.slice(0, LINE_MAX_CHARS))) return 0;
  }
  if (topic.isBooking && CONFIRMATION.test(word.text) && !isOfSignIn(one, lines, at)) return 0;
  if (topic.isReceipt && PAYMENT.test(word.text)) return 0;
  if (word.points === 0) return 0;
  const isSix = one.kind === 'digits' && one.value.length === 6;
  const isTyped = isSix && ENTER.test(before) && word.kind === 'action' ? TYPED_POINTS : 0;
  return word.points + topic.points + (isAlone ? 2 : 0) + (isSix ? 1 : 0) + isTyped;
}

/** Digits whose lines say what to do with them, and nothing of a journey before them. */
function isOfSignIn({ kind }: Candidate, lines: readonly Line[], at: number): boolean {
  const textOf = (from: number, to: number) =>
    lines
      .slice(Math.max(0, from), to + 1)
      .map(({ lower }) => lower.slice(0, 2 * WINDOW_CHARS))
      .join(' ');
  return (
    kind === 'digits' &&
    !saysBooking(textOf(at - 2, at)) &&
    wordsIn(textOf(at - 2, at + 1)).some((word) => word.kind === 'action')
  );
}

/** What the words of one side say. */
type Said = {
  points: number;
  kind?: Word['kind'];
  text: string;
  /** Names another number. */
  isOther?: boolean;
  /** Directly at the candidate. */
  isNext?: boolean;
};
const NOTHING: Said = { points: 0, text: '' };
const OTHER: Said = { points: 0, text: '', isOther: true };
const POINTS = { strong: 10, weak: 7, action: 3, other: 0, thing: 0 } as const;
const NEXT_CHARS = 12;
/** `Enter 482913 on the page that asks for it`. */
const ENTER = /(?:^|[\s.:])(?:enter|type|type in|voer|toets|introduce(?:ți|ţi|ti)|syöt\p{L}+)\s$/u;
const TYPED_POINTS = 3;
/** `Sign-in: 123456`, `Sign in to Acme: 123456`. */
const LABEL = /^[^.!?:：\d]{0,20}[:：]\s?$/;
const LABEL_POINTS = 2;

function pointsBefore(before: string): Said {
  const words = wordsIn(before);
  const last = words.at(-1);
  const sentenceAt = sentenceStart(before);
  const isTaken = last !== undefined && /\d{3}/.test(before.slice(last.end)); // by a number before
  if (last?.kind === 'other' && last.start >= sentenceAt && !isTaken) return OTHER;
  const positive = words.findLast(({ kind }) => kind === 'strong' || kind === 'weak');
  const word = positive ?? words.findLast(({ kind }) => kind === 'action');
  if (last?.kind === 'thing' && last.start >= sentenceAt) {
    if (!word || word.start < sentenceAt) return OTHER;
    // `code for the card 1234`, but not `code number 1234`
    const isNext = before.slice(last.end).trim() === '';
    if (isNext && before.slice(word.end, last.start).trim() !== '') return OTHER;
  }
  if (!word) return NOTHING;
  const between = before.slice(word.end);
  const label = LABEL.test(between) ? LABEL_POINTS : 0;
  const isOtherSentence = word.start < sentenceAt;
  // `OTP for the card ending 1234 is 482913`
  const isOfOther = isTaken && (last.kind === 'other' || last.kind === 'thing');
  const numberBetween = /\d{4}/.test(between) ? (isOfOther ? 2 : 5) : 0;
  const penalty = (isOtherSentence ? 5 : 0) + numberBetween;
  return {
    points: Math.max(0, POINTS[word.kind] + label - penalty - between.length / 30),
    kind: word.kind,
    text: word.text,
    isNext: between.length <= NEXT_CHARS,
  };
}

/** `123456 is your verification code`. */
function pointsAfter(after: string): Said {
  const [end] = after.matchAll(SENTENCE_END);
  const sentence = after.slice(0, Math.min(end?.index ?? after.length, 60));
  const words = wordsIn(sentence);
  const word =
    words.find(({ kind }) => kind === 'strong' || kind === 'weak') ??
    words.find(({ kind }) => kind === 'action');
  const [first] = words;
  if (!word || first?.kind === 'other') return NOTHING;
  if (/\d{4}/.test(sentence.slice(0, word.start))) return NOTHING;
  return {
    points: Math.max(0, POINTS[word.kind] - 1 - word.start / 30),
    kind: word.kind,
    text: word.text,
    isNext: word.start <= NEXT_CHARS + 8,
  };
}

/** The lines above a candidate, the nearest first: the first one that says something decides. */
function pointsAbove(above: readonly Line[]): Said {
  for (const [distance, { lower }] of above.entries()) {
    const text = lower.slice(-2 * WINDOW_CHARS);
    const words = wordsIn(text);
    const strong = words.findLast(({ kind }) => kind === 'strong');
    const weak = words.findLast(({ kind }) => kind === 'weak');
    const last = words.at(-1);
    const isThing = last?.kind === 'thing' && words.length === 1 && !/\d{4}/.test(text); // `Card: 1234`
    if (!strong && (isThing || last?.kind === 'other') && distance === 0) return OTHER;
    const word = strong ?? weak ?? words.findLast(({ kind }) => kind === 'action');
    if (!word) continue;
    const isTaken = /\d{4}/.test(text.slice(word.end)); // by a number of that line
    return {
      points: Math.max(0, POINTS[word.kind] - 1 - 1.5 * distance - (isTaken ? 5 : 0)),
      kind: word.kind,
      text: word.text,
    };
  }
  return NOTHING;
}

/** A label below a code. */
function pointsBelow(line: Line | undefined): Said {
  const text = line?.lower.slice(0, WINDOW_CHARS) ?? '';
  const [word] = wordsIn(text);
  if (!word || word.kind === 'other' || word.kind === 'thing' || /\d{4}/.test(text)) return NOTHING;
  return {
    points: Math.max(0, POINTS[word.kind] - 4),
    kind: word.kind,
    text: word.text,
  };
}

function sentenceStart(text: string): number {
  let start = 0;
  for (const { index } of text.matchAll(SENTENCE_END)) start = index + 1;
  return start;
}

const isUnit = (after: string): boolean =>
  UNITS.has(/^[\s-]{1,2}(\p{L}{1,9})/u.exec(after)?.[1] ?? '');

function nearOf(lines: readonly Line[], at: number, { start, end }: Candidate): string {
  const { text } = lines[at] as Line;
  const label = text.length < NEAR_MAX_CHARS / 2 ? (lines[at - 1]?.text ?? '') : '';
  const shownLabel = cutText(
    label,
    label.length,
    Math.max(0, label.length + text.length + 1 - NEAR_MAX_CHARS),
  );
  if (label !== '') return `${shownLabel} ${text}`.trim();
  const from = Math.max(0, Math.min(start - NEAR_MAX_CHARS / 2, text.length - NEAR_MAX_CHARS));
  return cutText(text, Math.max(end, from + NEAR_MAX_CHARS), from).trim();
}
