/** The deciding hook of a resource. */
import { Hook } from '../address/hook.ts';
import { compileExpression } from '../expression/expression.ts';
import { faultText } from '../expression/fault.ts';
import { checkWebhookUrl } from '../webhook/webhook-url.ts';
import { notReady, type Verdict } from './condition.ts';
import type { HookSpec } from './spec/hook-spec.ts';
import { recordFields } from './spec/spec-fields.ts';

/** As a record has it, or why it cannot be had. */
export function hookOf(
  spec: HookSpec | undefined,
  allowedNetworks: readonly string[],
): { hook: Hook | null } | { fault: Verdict } {
  if (spec === undefined) return { hook: null };
  const hook = Hook.safeParse(recordFields(spec));
  if (!hook.success) return invalid(`hook is invalid: ${hook.error.issues[0]?.message}`);
  const checked = checkWebhookUrl(hook.data.url, allowedNetworks);
  if ('fault' in checked) return invalid(`hook.url is invalid: ${checked.fault}`);
  const { error } = hook.data.when === null ? { error: null } : compileExpression(hook.data.when);
  if (error !== null) return invalid(`hook.when: ${faultText(error)}`);
  return { hook: { ...hook.data, url: checked.url } };
}

const invalid = (message: string) => ({ fault: notReady('InvalidHook', message) });
