/** Which attachments are pictures in the text: only they have an id in the payload (D331). */
import type { ParsedAttachment } from './payload.ts';

/** Up to a closing bracket, too: CSS writes `url(cid:…)`. */
const REFERENCE = /\bcid:(?:\/\/)?(([^\s"'<>)]+)[^\s"'<>]*)/gi;
const REFERENCES_MAX = 10_000;

/**
 * Gmail and Exchange give every file an id. It means something where the HTML refers to it, or where
 * the email does not call an image a file.
 */
export function withInlineIds(
  attachments: readonly ParsedAttachment[],
  html: string | null,
): ParsedAttachment[] {
  if (attachments.every(({ contentId }) => contentId === null)) return [...attachments];
  const shown = idsIn(html ?? '');
  const isInline = ({ contentId, contentType, disposition }: ParsedAttachment): boolean =>
    shown.has(contentId?.toLowerCase() ?? '') ||
    (disposition !== 'attachment' && contentType.startsWith('image/'));
  return attachments.map((one) => (isInline(one) ? one : { ...one, contentId: null }));
}

function idsIn(html: string): Set<string> {
  const ids = new Set<string>();
  for (const [, whole = '', beginning = ''] of html.matchAll(REFERENCE)) {
    for (const id of [whole, beginning])
      ids.add(decodedId(id.replaceAll('&amp;', '&')).toLowerCase());
    if (ids.size >= REFERENCES_MAX) break;
  }
  return ids;
}

/** The id in a URL (RFC 2392 §2). Some programs write a percent sign as it is. */
export function decodedId(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
