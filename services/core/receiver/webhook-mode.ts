/** Who starts the transfer of an email to a receiver: Inlet, or the receiver. */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import type { FieldRule } from '../error/app-error.ts';

const WEBHOOK_MODES = ['push', 'pull'] as const;

export const WebhookMode = z
  .enum(WEBHOOK_MODES)
  .describe(
    'push: Inlet posts webhooks to the URL; pull: the receiver asks for its emails with GET …/next ' +
      'and acknowledges them, so it needs no URL',
  );
export type WebhookMode = z.infer<typeof WebhookMode>;
describeSchema(WebhookMode, 'WebhookMode');

/** What a pull receiver gets is the payload of Inlet. */
export const PULL_FORMATS: readonly string[] = ['inlet', 'cloudevents'];

/** A format that only makes sense in a POST; undefined when mode and format fit. */
export const modeFault = ({
  mode,
  format,
}: {
  mode?: WebhookMode | undefined;
  format?: string | undefined;
}): { field: 'format'; code: FieldRule } | undefined =>
  mode === 'pull' && format !== undefined && !PULL_FORMATS.includes(format)
    ? { field: 'format', code: 'conflict' }
    : undefined;

/** Whether the email of a receiver goes nowhere. */
export const hasNoTarget = ({
  webhook_url,
  mode,
}: {
  webhook_url: string | null;
  mode?: WebhookMode | undefined;
}): boolean => webhook_url === null && mode !== 'pull';
