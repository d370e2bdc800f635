/** How webhooks go to a receiver: the same for the first one of an address and for further ones. */
import { z } from 'zod';

import { changedFields, isEmpty, isEqual } from '../resource/changed-fields.ts';
import { type Fields, shapeOf } from '../resource/field.ts';
import { shownFields } from '../resource/view.ts';
import { WebhookMode } from './webhook-mode.ts';
import { PayloadSettings } from './payload-settings.ts';
import { ClusterService, ReceiverAuth, ReceiverAuthView } from './receiver-auth.ts';
import { EXPRESSION_MAX_CHARS, ExpressionText } from '../text/expression-text.ts';
import { WebhookFormat } from './webhook-format.ts';
import { WebhookSigning } from './webhook-signing.ts';
import { optional, orNull } from '../resource/described.ts';

/** A choice that records of earlier releases lack. The API reference names its schema. */
const choice = <S extends z.ZodEnum>(value: S, initial: z.output<S>) => ({
  record: value.default(initial as never),
  view: value,
  create: value.optional(),
  change: value.optional(),
  spec: value.default(initial as never),
  default: initial,
  example: initial,
});

const when = 'filter in CEL: it gets only emails for which this is true';
const whenAsked = ExpressionText.nullable().optional().describe(`${when}; null for all`);
const authAsked = ReceiverAuth.nullable()
  .optional()
  .describe('how Inlet authenticates to it: replaces the whole; null for not at all');

export const WEBHOOK_FIELDS = {
  mode: {
    ...choice(WebhookMode, 'push'),
    // without a default: the API server would name the creator of the resource as its manager (D280)
    spec: WebhookMode.optional().describe(`${WebhookMode.description}; default: push`),
  },
  /** Requests and resources also compile it. */
  when: {
    record: z.string().nullable().default(null),
    view: z.string().nullable().describe(`${when}; null for all`),
    create: whenAsked,
    change: whenAsked,
    spec: optional(z.string().min(1).max(EXPRESSION_MAX_CHARS), `${when}; when absent, all`),
    default: null,
    example: null,
  },
  format: choice(WebhookFormat, 'inlet'),
  /** Another one also rotates the secret. */
  signing: choice(WebhookSigning, 'hmac'),
  public_key: {
    record: z.string().nullable().default(null),
    view: orNull(z.string(), 'verifies its webhooks; starts with whpk_; null with hmac'),
    default: null,
    example: null,
  },
  /** Its secrets are stored encrypted. A resource refers to Secrets: see the spec. */
  auth: {
    record: ReceiverAuthView.nullable().default(null),
    view: ReceiverAuthView.nullable().describe(
      'how Inlet authenticates to it, without secrets; null when it does not',
    ),
    create: authAsked,
    change: authAsked,
    default: null,
    example: null,
  },
  /** Set for a Service of the cluster, which only a custom resource can name. */
  service: { record: ClusterService.nullable().default(null), default: null },
} as const satisfies Fields;

/** As records have them. */
export const WebhookSettings = z.object(shapeOf(WEBHOOK_FIELDS, 'record'));
export type WebhookSettings = z.infer<typeof WebhookSettings>;

/** What the API shows of them. */
export const WebhookSettingsView = z.object(shapeOf(WEBHOOK_FIELDS, 'view'));
export type WebhookSettingsView = z.infer<typeof WebhookSettingsView>;

export const webhookSettingsView = (settings: WebhookSettings): WebhookSettingsView =>
  shownFields(WEBHOOK_FIELDS, settings);

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
