/** The keys that sign for a target now, made once for as long as the directory caches it. */
import { signingSecrets, type WebhookTarget } from '../../core/address/address.ts';
import { type SigningKeys, signingKeys } from '../../core/webhook/signature.ts';

export type KeysOf = (target: WebhookTarget) => SigningKeys[];

/** @param make the keys of a secret, for webhooks or for questions to hooks */
export function createKeysOf(clock: () => Date, make = signingKeys): KeysOf {
  const cache = new WeakMap<WebhookTarget, Map<string, SigningKeys>>();
  return function keysOf(target) {
    const known = cache.get(target) ?? new Map<string, SigningKeys>();
    cache.set(target, known);
    return signingSecrets(target, clock()).map((secret) => {
      const keys = known.get(secret) ?? make(secret);
      known.set(secret, keys);
      return keys;
    });
  };
}
