/** Values of reports, which programs of many makers write. */
import { timestamp } from '../../time/timestamp.ts';
import { cutText } from '../../text/text.ts';

const VALUE_MAX_CHARS = 500;

/** Null for nothing, and for a value that is not a text. */
export function textOrNull(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  return cutText(String(value), VALUE_MAX_CHARS).trim() || null;
}

/** 0 for a text that is not a number. */
export function countOf(value: unknown): number {
  const text = textOrNull(value) ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

/** Null for a time that cannot be read. */
export function timeOf(value: string | null): string | null {
  if (value === null) return null;
  const date = new Date(/^\d{1,12}$/.test(value) ? Number(value) * 1000 : value);
  const isReadable = !Number.isNaN(date.getTime()) && date.getUTCFullYear() >= 1970;
  return isReadable && date.getUTCFullYear() <= 9999 ? timestamp(date) : null;
}
