/** Authentication to a receiver as it is stored: what may be shown, and the secrets, encrypted. */
import {
  ReceiverAuth,
  type ReceiverAuthView,
  receiverAuthView,
} from '../../../core/receiver/receiver-auth.ts';
import type { CredentialsChange } from '../../../core/receiver/failing-reason.ts';
import type { SecretBox } from '../database/secrets.ts';

type SealedAuth = { auth: ReceiverAuthView | null; sealed_auth: string | null };

/** Another context than that of the webhook secret, so that neither can take the other's place. */
export const authContext = (receiverId: string): string => `${receiverId}/auth`;

export function sealedAuth(
  secrets: Pick<SecretBox, 'seal'>,
  receiverId: string,
  auth: ReceiverAuth | null,
): SealedAuth {
  const view = receiverAuthView(auth);
  if (view === null) return { auth: null, sealed_auth: null };
  return { auth: view, sealed_auth: secrets.seal(JSON.stringify(auth), authContext(receiverId)) };
}

/** The same for a change. */
export const changedAuth = (
  secrets: Pick<SecretBox, 'seal'>,
  receiverId: string,
  auth: ReceiverAuth | null,
  now: Date,
) => ({
  ...sealedAuth(secrets, receiverId, auth),
  credentials_changed: { what: 'auth', at: now, until: now } satisfies CredentialsChange,
});

export function openedAuth(
  secrets: Pick<SecretBox, 'open'>,
  { _id, sealed_auth }: { _id: string; sealed_auth?: string | null },
): ReceiverAuth | undefined {
  if (sealed_auth === null || sealed_auth === undefined) return undefined;
  return ReceiverAuth.parse(JSON.parse(secrets.open(sealed_auth, authContext(_id))));
}
