/** What a deciding hook answered, and what that means for the email (D61). Pure. */
import { z } from 'zod';

import type { Hook } from '../hook/hook.ts';
import { RULE_TAGS_MAX, Tag } from '../rule/rule.ts';
import type { HookTrace } from '../delivery/ruling.ts';
import { jsonOf } from '../text/text.ts';
import { hookDeferred, hookRefused, type SmtpReply } from '../smtp/smtp-reply.ts';

/** How the call of a hook ended. */
export type HookResponse = {
  /** null without a response. */
  status: number | null;
  /** Beginning of the body; null when there was none. */
  body: string | null;
  /** Why there was no response; null when there was one. */
  error: string | null;
  durationMs: number;
  /** No dispatcher called it, so that the hook is not to blame. */
  wasNotCalled?: true;
};

/** A decision about an email. */
export type HookAnswer = {
  decision: NonNullable<HookTrace['decision']>;
  /** For the SMTP reply, as the hook wrote it; empty for the usual text. */
  message: string;
  tags: string[];
  /** Why the hook did not decide, so that `on_error` did; null when it decided. */
  error: string | null;
  durationMs: number;
};

/** A longer answer is not valid. */
export const ANSWER_MAX_BYTES = 4 * 1024;
const MESSAGE_MAX_CHARS = 200;
/** A reply line has 512 octets at most, with its codes and CRLF (RFC 5321 §4.5.3.1.5). */
const MESSAGE_MAX_BYTES = 480;

/** The decision counts, also where the message or a tag cannot be read: they are left out. */
const Answer = z.object({
  decision: z.enum(['accept', 'refuse', 'defer', 'hold', 'drop']),
  message: z.string().nullish().catch(null),
  tags: z.array(z.unknown()).nullish().catch(null),
});

const tagsOf = (tags: readonly unknown[]): string[] =>
  [...new Set(tags.flatMap((tag) => Tag.safeParse(tag).data ?? []))].slice(0, RULE_TAGS_MAX);

/** Anything but a 2xx with a valid answer is what `on_error` says, never a refusal. */
export function hookAnswer(
  { on_error }: Pick<Hook, 'on_error'>,
  { status, body, error, durationMs }: HookResponse,
): HookAnswer {
  const failed = (reason: string): HookAnswer => ({
    ...unanswered(on_error, reason),
    durationMs,
  });
  if (status === null) return failed(error ?? 'no response');
  if (status < 200 || status >= 300) return failed(`it responded with ${status}`);
  if (Buffer.byteLength(body ?? '') > ANSWER_MAX_BYTES) return failed('its answer is too long');
  const { data } = Answer.safeParse(jsonOf(body));
  if (data === undefined) return failed('its answer is not valid');
  const { decision, message, tags } = data;
  return {
    decision,
    message: message ?? '',
    tags: tagsOf(tags ?? []),
    error: null,
    durationMs,
  };
}

/** The answer to a hook that was not called. */
export const unanswered = (onError: Hook['on_error'], error: string): HookAnswer => ({
  decision: onError,
  message: '',
  tags: [],
  error,
  durationMs: 0,
});

const REPLIES: Partial<Record<HookAnswer['decision'], SmtpReply>> = {
  refuse: hookRefused,
  defer: hookDeferred,
};

/** The reply to a client whose email the hook refused or deferred; undefined for other decisions. */
export function hookReply(
  { decision, message }: Pick<HookAnswer, 'decision' | 'message'>,
  isUtf8: boolean,
): SmtpReply | undefined {
  const reply = REPLIES[decision];
  const text = replyText(message, isUtf8);
  return reply && { ...reply, ...(text !== '' && { text }) };
}

/**
 * One line for an SMTP reply.
 * @param isUtf8 whether the client reads UTF-8 (RFC 6531 §3.7.4.2); otherwise it is ASCII
 */
export function replyText(message: string, isUtf8: boolean): string {
  const readable = isUtf8 ? /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu : /[^ -~]/gu;
  const line = message
    .slice(0, 10 * MESSAGE_MAX_CHARS)
    .replaceAll(/\s+/g, ' ')
    .trim();
  let text = '';
  let characters = 0;
  for (const character of line) {
    const next = text + character.replaceAll(readable, '?');
    if (++characters > MESSAGE_MAX_CHARS || Buffer.byteLength(next) > MESSAGE_MAX_BYTES) break;
    text = next;
  }
  return text.trim();
}
