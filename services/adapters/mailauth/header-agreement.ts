/**
 * Whether the headers that the payload shows are those that signatures cover: both readers of the
 * head find the same fields and the same end of it (D125).
 */
import { headerFields as shownFields } from '../mime/head.ts';
import { LIMITS } from '../mime/outline.ts';
import { readHead } from '../mime/read-head.ts';
import { verifiedHeaderFields as verifiedFields } from './library.ts';

/** The payload is read with trace fields of the gateway above the email. */
const ABOVE = Buffer.from('Received: by\r\n');
const LIMITS_BELOW_TRACE = {
  ...LIMITS.head,
  lines: LIMITS.head.lines - 20,
  bytes: LIMITS.head.bytes - 16 * 1024,
};

/** @param head with the empty line that ends it */
export function isReadAlike(head: Buffer): boolean {
  const raw = Buffer.concat([ABOVE, head]);
  const { text, bodyStart, isCut, strays } = readHead(raw, 0, LIMITS_BELOW_TRACE, () => false);
  if (bodyStart !== raw.byteLength || isCut || strays.length > 0) return false;
  const shown = shownFields(text).slice(1);
  const verified = verifiedFields(head);
  return (
    shown.length === verified.length &&
    shown.every(({ key, value }, at) => {
      const { key: other, line } = verified[at] as (typeof verified)[number];
      const own = line.toString('latin1');
      return key === other && sameLines(value) === sameLines(own.slice(own.indexOf(':') + 1));
    })
  );
}

/** The library writes CRLF for each LF, and the last field lacks its own. */
const sameLines = (value: string): string =>
  value.replace(/\r?\n/g, '\r\n').replace(/[\r\n]+$/, '');
