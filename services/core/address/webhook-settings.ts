/** How webhooks go to a receiver: the same for the first one of an address and for further ones. */
import { z } from 'zod';

import { changedFields, isEmpty, isEqual } from '../changed-fields.ts';
import { PayloadSettings } from './payload-settings.ts';
import { ClusterService, type ReceiverAuth, ReceiverAuthView } from './receiver-auth.ts';
import { WebhookFormat } from './webhook-format.ts';
import { WebhookMode } from '../webhook-mode.ts';
import { WebhookSigning } from './webhook-signing.ts';

/** As records have them. An earlier release wrote none of them. */
export const WebhookSettings = z.object({
  mode: WebhookMode.default('push'),
  when: z
    .string()
    .nullable()
    .default(null)
    .describe('expression: it gets only emails for which this is true; null for all'),
  format: WebhookFormat.default('inlet'),
  signing: WebhookSigning.default('hmac'),
  public_key: z.string().nullable().default(null).describe('whpk_…; null with hmac'),
  auth: ReceiverAuthView.nullable()
    .default(null)
    .describe('without secrets, which are stored encrypted; null without authentication'),
  service: ClusterService.nullable()
    .default(null)
    .describe('set for a Service of the cluster, which only a custom resource can name'),
});
export type WebhookSettings = z.infer<typeof WebhookSettings>;

/** What the API shows of them. */
export const WebhookSettingsView = z.object({
  mode: WebhookMode,
  when: z
    .string()
    .nullable()
    .describe('filter in CEL: it gets only emails for which this is true; null for all'),
  format: WebhookFormat,
  signing: WebhookSigning,
  public_key: z
    .string()
    .nullable()
    .describe('verifies its webhooks; starts with whpk_; null with hmac'),
  auth: ReceiverAuthView.nullable().describe(
    'how Inlet authenticates to it, without secrets; null when it does not',
  ),
});
export type WebhookSettingsView = z.infer<typeof WebhookSettingsView>;

export const webhookSettingsView = ({
  mode,
  when,
  format,
  signing,
  public_key,
  auth,
}: WebhookSettings): WebhookSettingsView => ({ mode, when, format, signing, public_key, auth });

/** Webhooks as the specification has them. */
export const SPEC_WEBHOOK: WebhookSettings = WebhookSettings.parse({});

/** The secret that receivers share with Inlet. A private key is never shown. */
export const shownSecret = ({
  signing,
  webhook_secret,
}: Pick<WebhookSettings, 'signing'> & { webhook_secret: string }): string | null =>
  signing === 'hmac' ? webhook_secret : null;

/** What a change may say about them. */
export type WebhookChange = Partial<
  Pick<WebhookSettings, 'mode' | 'when' | 'format' | 'service'>
> & {
  payload?: Partial<PayloadSettings>;
  /** Replaces the whole; null removes it. */
  auth?: ReceiverAuth | null;
};

/** With the authentication in clear text, only in memory. */
export type WithOpenedAuth = { opened_auth?: ReceiverAuth };

/**
 * The parts of a change that differ from the receiver (D29).
 * @param before absent payload settings are the defaults
 */
export function webhookChanges<Change extends WebhookChange>(
  before: Pick<WebhookSettings, 'auth'> & { payload?: PayloadSettings } & WithOpenedAuth,
  { payload = {}, auth, ...fields }: Change,
): Omit<Change, 'payload' | 'auth'> & Pick<WebhookChange, 'payload' | 'auth'> {
  const settings = changedFields(PayloadSettings.parse(before.payload ?? {}), payload);
  const isOtherAuth = auth !== undefined && !isEqual(before.opened_auth ?? null, auth);
  return {
    ...(changedFields(before, fields) as typeof fields),
    ...(!isEmpty(settings) && { payload: settings }),
    ...(isOtherAuth && { auth }),
  };
}

/**
 * Whether a new URL needs the authentication again: otherwise who may change a URL could have the
 * secrets sent to a server of their own (D51).
 * @param url null: webhooks are sent to no URL
 */
export const needsAuthAgain = (
  before: { url: string | null } & Pick<WebhookSettings, 'auth'>,
  url: string | null,
): boolean =>
  before.auth !== null &&
  url !== null &&
  (before.url === null || new URL(before.url).origin !== new URL(url).origin);
