/**
 * A deciding hook of an account or an address: a program of the customer that is asked about an email
 * before Inlet replies to the client (D61, docs/deciding-hooks.md). core/hook has what follows.
 */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import { ExpressionText } from '../text/expression-text.ts';

const HOOK_TIMEOUT_MIN_MS = 100;
const HOOK_TIMEOUT_MAX_MS = 10_000;
const HOOK_TIMEOUT_MS = 5_000;

const Timeout = z.int().min(HOOK_TIMEOUT_MIN_MS).max(HOOK_TIMEOUT_MAX_MS);
const timeoutText = 'milliseconds that the hook may take for its answer';

const OnError = z.enum(['accept', 'defer']);
const onErrorText =
  'what happens without a valid answer: accept: the email is delivered as if there were no hook; ' +
  'defer: the sender gets 451 and tries again later';

const whenText = 'expression in CEL: the hook is asked only about such email; null for all email';

export const Hook = z.object({
  url: z.string().describe('publicly reachable HTTPS URL that is asked'),
  when: ExpressionText.nullable().default(null).describe(whenText),
  timeout_ms: Timeout.default(HOOK_TIMEOUT_MS).describe(timeoutText),
  on_error: OnError.default('accept').describe(onErrorText),
});
export type Hook = z.infer<typeof Hook>;
describeSchema(Hook, 'Hook', {
  url: 'https://example.com/decide',
  when: 'size_bytes > 1000000',
  timeout_ms: HOOK_TIMEOUT_MS,
  on_error: 'accept',
});

/** @param url the schema of URLs that webhooks may have in this installation */
export const hookRequest = <Url extends z.ZodType<string>>(url: Url) =>
  z.strictObject({
    url,
    when: ExpressionText.nullable().default(null).describe(whenText),
    timeout_ms: Timeout.default(HOOK_TIMEOUT_MS).describe(timeoutText),
    on_error: OnError.default('accept').describe(onErrorText),
  });
