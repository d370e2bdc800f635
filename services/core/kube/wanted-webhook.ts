/** What resources say about webhooks and deciding hooks, as records have it. */
import { type FieldRule, RULE_TEXT } from '../error/app-error.ts';
import { Hook } from '../hook/hook.ts';
import {
  WEBHOOK_FIELDS,
  type WebhookSettings,
  type WithOpenedAuth,
} from '../receiver/webhook-settings.ts';
import { isEqual } from '../resource/changed-fields.ts';
import { expressionFault } from '../expression/expression.ts';
import { firstIssueText, issueText } from '../error/issue-text.ts';
import type { Shape } from '../resource/field.ts';
import { fromSpec, type SpecValues } from '../resource/spec.ts';
import { checkWebhookUrl } from '../network/webhook-url.ts';
import { notReady, type Verdict } from './condition.ts';
import type { HookSpec } from './spec/hook-spec.ts';
import type { ReferencedAuth } from './spec/receiver-auth-spec.ts';
import type { InboundReceiverSpec } from './spec/receiver-spec.ts';
import { recordFields } from './spec/spec-fields.ts';

type Spec = Pick<
  InboundReceiverSpec,
  'url' | 'service' | 'caBundle' | keyof Shape<typeof WEBHOOK_FIELDS, 'spec'>
>;

export type WantedWebhook = SpecValues<typeof WEBHOOK_FIELDS> &
  Pick<WebhookSettings, 'service'> & {
    /** null when the resource names neither a URL nor a Service. */
    url: string | null;
  };

/** @param urlField the name of the field with the URL, for messages */
export function wantedWebhook(
  spec: Spec,
  {
    namespace,
    auth,
    allowedNetworks,
  }: { namespace: string; auth: ReferencedAuth; allowedNetworks: readonly string[] },
  urlField: string,
): { webhook: WantedWebhook } | { fault: Verdict } {
  const placed = placeOf(spec, namespace, allowedNetworks);
  if ('fault' in placed)
    return { fault: notReady('InvalidWebhookUrl', `${urlField} ${RULE_TEXT[placed.fault]}`) };
  if ('refusal' in auth) return { fault: notReady('AuthNotUsable', auth.refusal) };
  const fault = expressionFault(spec.when);
  if (fault !== undefined) return { fault: notReady('InvalidSpec', `when is invalid: ${fault}`) };
  return { webhook: { ...placed, ...fromSpec(WEBHOOK_FIELDS, spec) } };
}

/** Where the webhooks go. */
function placeOf(
  { url, service, caBundle }: Pick<Spec, 'url' | 'service' | 'caBundle'>,
  namespace: string,
  allowedNetworks: readonly string[],
): Pick<WantedWebhook, 'url' | 'service'> | { fault: FieldRule } {
  if (service) {
    const { href } = new URL(
      service.path,
      `https://${service.name}.${namespace}.svc:${service.port}`,
    );
    return { url: href, service: { ca: caBundle ?? null } };
  }
  if (url === undefined) return { url: null, service: null };
  const checked = checkWebhookUrl(url, allowedNetworks);
  return 'fault' in checked ? checked : { url: checked.url, service: null };
}

/**
 * The authentication as a part of a change; empty when it stays. With another URL it is always a part,
 * because the operations refuse another origin without it (D51).
 */
export function authChange(
  record: Pick<WebhookSettings, 'auth'> & WithOpenedAuth,
  auth: ReferencedAuth,
  isOtherUrl: boolean,
): { auth?: WithOpenedAuth['opened_auth'] | null } {
  if ('refusal' in auth) return {};
  const isOther = isOtherUrl || !isEqual(record.opened_auth ?? null, auth.auth);
  return isOther && (record.auth || auth.auth) ? { auth: auth.auth } : {};
}

/** As a record has it, or why it cannot be had. */
export function hookOf(
  spec: HookSpec | undefined,
  allowedNetworks: readonly string[],
): { hook: Hook | null } | { fault: Verdict } {
  if (spec === undefined) return { hook: null };
  const hook = Hook.safeParse(recordFields(spec), { error: issueText });
  if (!hook.success) return invalid(firstIssueText(hook.error, 'hook'));
  const checked = checkWebhookUrl(hook.data.url, allowedNetworks);
  if ('fault' in checked) return invalid(`hook.url ${RULE_TEXT[checked.fault]}`);
  const fault = expressionFault(hook.data.when);
  if (fault !== undefined) return invalid(`hook.when: ${fault}`);
  return { hook: { ...hook.data, url: checked.url } };
}

const invalid = (message: string) => ({ fault: notReady('InvalidHook', message) });
