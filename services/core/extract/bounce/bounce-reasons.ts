/** Why a bounce failed, as its text says it near the address of each recipient. */
import { hasCode } from './bounced-recipient.ts';

export const DELAYED = new RegExp(
  'has been delayed|been temporarily delayed|not yet been delivered|could not be delivered yet|' +
    'is delayed for|warning message only|this is a warning only|do not need to resend|will be retried|' +
    'will continue to try|still being tried|delivery is delayed|delivery incomplete',
  'i',
);
export const FAILED = new RegExp(
  "undeliver|n[o']t (be |been |yet been )?deliver|unable to deliver|not able to deliver|" +
    'cannot deliver|not deliver|permanent (fatal )?(delivery )?error|delivery (has )?failed|' +
    'delivery (to .{1,200} )?failed|failed permanently|delivery (error|problem|failure)|' +
    'did not reach|could not be reached|error delivering|trouble delivering|delivery userid|aborted after|' +
    'rejected (by|recipient)|malformed address|no valid recipients|is disabled|' +
    'failure reasons|returned (mail|to sender)|unknown user|user unknown|' +
    'attempting to deliver|exceeds allowed size|failed:?$|transcript of session',
  'i',
);

/** What is written about a recipient. */
export type Entry = { address: string; at: number; rest: string };

export const folded = (address: string): string => address.toLowerCase();

/** Whether the words about a recipient have a status or the code of a reply. */
export const isEntryCoded = (
  lines: readonly string[],
  { at, rest }: Entry,
  next: Entry | undefined,
): boolean => hasCode([rest, ...paragraphAt(lines, at + 1, next?.at ?? lines.length)].join(' '));

/** The reason for each recipient. Those that are listed above others share what is below them all. */
export function reasonsOf(
  lines: readonly string[],
  entries: readonly Entry[],
): Map<string, string> {
  const reasons = new Map<string, string>();
  let shared = firstCoded(lines, 0, entries[0]?.at ?? lines.length);
  for (const [index, entry] of [...entries.entries()].toReversed()) {
    const previous = entries[index - 1]?.at ?? -1;
    const end = entries[index + 1]?.at ?? lines.length;
    const reason = reasonOf(lines, entry, { previous, end, shared });
    const known = reasons.get(folded(entry.address));
    // An address may be repeated with details below the words for people.
    if (reason !== undefined && (known === undefined || !hasCode(known) || hasCode(reason)))
      reasons.set(folded(entry.address), reason);
    shared = reason;
  }
  return reasons;
}

/** Line of the recipient above, line of the one below, and the reason of the one below. */
type Around = { previous: number; end: number; shared: string | undefined };

function reasonOf(
  lines: readonly string[],
  { at, rest }: Entry,
  { previous, end, shared }: Around,
): string | undefined {
  const own = [rest, ...paragraphAt(lines, at + 1, end)].filter(Boolean).join(' ');
  if (hasCode(own)) return withoutLead(own);
  return (
    firstCoded(lines, at + 1, end) ??
    (own || shared) ??
    announced(lines, at + 1, end) ??
    above(lines, at, previous)
  );
}

/** The first paragraph with a code, from the line with the code on. */
export function firstCoded(
  lines: readonly string[],
  from: number,
  end: number,
): string | undefined {
  let at = from;
  while (at < end && !isCoded(lines[at] ?? '')) at++;
  return at < end ? withoutLead(paragraphAt(lines, at, end).join(' ')) : undefined;
}

const isCoded = (line: string): boolean => hasCode(line) && !line.startsWith('>>>');

const PARAGRAPH_MAX_LINES = 12;

/** The lines until the next empty one. */
function paragraphAt(lines: readonly string[], from: number, end: number): string[] {
  const last = Math.min(end, from + PARAGRAPH_MAX_LINES);
  let to = from;
  while (to < last && !isSeparator(lines[to] ?? '')) to++;
  return lines.slice(from, to).map((line) => line.trim());
}

export const isSeparator = (line: string): boolean => /^\s*$|^\s*-{3}/.test(line);

/** What follows a line such as `because:`. */
function announced(lines: readonly string[], from: number, end: number): string | undefined {
  let at = from;
  while (at < end && !/[a-z]:$/i.test(lines[at] ?? '')) at++;
  do at++;
  while (at < end && isSeparator(lines[at] ?? ''));
  return paragraphAt(lines, at, end).join(' ') || undefined;
}

/** The paragraph above an address, where the reason is in the forms of Notes and InterMail. */
function above(lines: readonly string[], at: number, previous: number): string | undefined {
  let to = at;
  while (to > 0 && lines[to - 1]?.trim() === '') to--;
  let from = to;
  while (from > 0 && to - from < PARAGRAPH_MAX_LINES && !isSeparator(lines[from - 1] ?? '')) from--;
  const paragraph = lines
    .slice(from, to)
    .map((line) => line.trim())
    .join(' ');
  const isForm =
    from <= previous ||
    /[:,]$/.test(paragraph) ||
    FAILED.test(paragraph) ||
    DELAYED.test(paragraph);
  return isForm ? undefined : paragraph;
}

/** Marks of a dialogue, and words of the form before the reason. */
const withoutLead = (text: string): string =>
  text.replace(
    /^[\s<>#'"([-]*(reason:|diagnostic code:( smtp;)?|remote host said:|error:)?\s*/i,
    '',
  );
