/** The keys that sign the webhooks of a receiver, of its creation and of each rotation. */
import { randomBytes } from 'node:crypto';

import type { SecretRotation } from '../../adapters/mongo/database/secrets.ts';
import { ROTATION_OVERLAP_MS } from '../../core/receiver/secret-overlap.ts';
import { needsAuthAgain, type WebhookSettings } from '../../core/receiver/webhook-settings.ts';
import type { WebhookSigning } from '../../core/receiver/webhook-signing.ts';
import { AppError } from '../../core/error/app-error.ts';
import { newPrivateKey, publicKeyOf } from '../../core/webhook/key-pair.ts';
import { newSecret, SECRET_RANDOM_BYTES } from '../../core/webhook/signature.ts';

/** What signs the webhooks, and how. */
export function newKeys(signing: WebhookSigning) {
  const random = randomBytes(SECRET_RANDOM_BYTES);
  if (signing === 'hmac') return { signing, public_key: null, webhook_secret: newSecret(random) };
  const key = newPrivateKey(random);
  return { signing, public_key: publicKeyOf(key), webhook_secret: key };
}

/** The former secret or key still signs for ROTATION_OVERLAP_MS, next to the new one. */
export function rotationTo(
  signing: WebhookSigning,
  now: Date,
  generation?: number,
): SecretRotation {
  const { webhook_secret: secret, ...fields } = newKeys(signing);
  return { secret, formerUntil: new Date(now.getTime() + ROTATION_OVERLAP_MS), generation, fields };
}

/** @throws AppError `conflict` when the change would send the authentication to another server (D51) */
export function refuseOtherOrigin(
  before: { url: string | null } & Pick<WebhookSettings, 'auth'>,
  url: string | null,
): void {
  if (needsAuthAgain(before, url))
    throw new AppError(
      'conflict',
      'This receiver has authentication. To change the host or port of its URL, send auth again, or null',
    );
}

export const changedMeanwhile = (what: string) =>
  new AppError('conflict', `The ${what} was changed at the same time. Try again`);
