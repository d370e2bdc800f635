/**
 * The conversation of an email, as its headers claim it. A hint: anyone who has seen a Message-ID can
 * name it (D58).
 */
import { hash } from 'node:crypto';

import { base32 } from '../id/ids.ts';

type MessageIds = {
  message_id: string | null;
  in_reply_to: string | null;
  references: string | null;
};

const ID_BYTES = 16; // 26 characters
export const THREAD_ID = /^thr_[0-9a-hjkmnp-tv-z]{26}$/;

/** RFC 5322 §3.6.4: References begin with the first email of the conversation. */
export function threadId(
  addressId: string,
  { message_id, in_reply_to, references }: MessageIds,
): string | undefined {
  const root = firstId(references) ?? firstId(in_reply_to) ?? firstId(message_id);
  if (root === undefined) return undefined;
  return `thr_${base32(hash('sha256', `${addressId}\0${root}`, 'buffer').subarray(0, ID_BYTES))}`;
}

/** The first message id in angle brackets, else the first word. */
function firstId(header: string | null): string | undefined {
  const text = header?.trim() ?? '';
  const [, bracketed] = /<([^<>\s]+)>/.exec(text) ?? [];
  return bracketed ?? text.split(/\s/, 1).find((word) => word !== '');
}
