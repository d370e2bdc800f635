/** The token URL of a receiver with OAuth 2.0: the rules for webhook URLs apply (D52). */
import type { ReceiverAuth } from './receiver-auth.ts';
import type { FieldRule } from '../error/app-error.ts';
import { checkWebhookUrl } from '../network/webhook-url.ts';

/** The rule that it breaks. @param allowedNetworks not public, but webhooks may reach them */
export function tokenUrlFault(
  auth: ReceiverAuth | null | undefined,
  allowedNetworks: readonly string[],
): FieldRule | undefined {
  if (!auth?.oauth2) return undefined;
  const checked = checkWebhookUrl(auth.oauth2.token_url, allowedNetworks);
  return 'fault' in checked ? checked.fault : undefined;
}
