/** The errors of log lines, by kind. Lines are JSON objects with `time`, `level`, `event`, `error`. */
import { createRedaction } from '../cluster/redaction.ts';
import type { ErrorKind } from './facts.ts';

type Line = { time?: string; level?: string; event?: string; error?: unknown };

const ERROR_MAX_CHARS = 160;
const redact = createRedaction([]);

/** The newest kind first. Lines of other programs are left out. */
export function errorKinds(logs: readonly { component: string; text: string }[]): ErrorKind[] {
  const kinds = new Map<string, ErrorKind>();
  for (const { component, text } of logs)
    for (const { time = '', level = '', event = '', error } of linesOf(text)) {
      if (level !== 'warn' && level !== 'error') continue;
      const key = `${component} ${event}`;
      const known = kinds.get(key);
      const isNewer = time >= (known?.last ?? '');
      kinds.set(key, {
        component,
        event,
        level,
        count: (known?.count ?? 0) + 1,
        last: isNewer ? time : (known?.last ?? ''),
        error: isNewer ? shortened(error) : (known?.error ?? ''),
      });
    }
  return [...kinds.values()].toSorted((one, other) => other.last.localeCompare(one.last));
}

/** Why a process ended: its last line of the level error, else its last line. */
export function lastWordsIn(text: string): string | null {
  const last = linesOf(text).findLast(({ level }) => level === 'error');
  if (last !== undefined) return `${last.event ?? ''}: ${shortened(last.error)}`;
  const plain = text.trim().split('\n').at(-1) ?? '';
  return plain === '' || plain.startsWith('{') ? null : shortened(plain);
}

function linesOf(text: string): Line[] {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return [];
    try {
      return [JSON.parse(line) as Line];
    } catch {
      return []; // the limit on bytes cut it
    }
  });
}

const shortened = (error: unknown): string =>
  redact(typeof error === 'string' ? error : '')
    .replaceAll(/\s+/g, ' ')
    .slice(0, ERROR_MAX_CHARS);
