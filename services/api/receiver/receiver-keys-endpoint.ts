/**
 * The public keys of a receiver. No credential is needed: programs that verify webhooks fetch them,
 * and they reveal nothing else.
 */
import { signingSecrets, type WebhookTarget } from '../../core/address/address.ts';
import { notFound } from '../../core/error/app-error.ts';
import { Jwks, jwksOf } from '../../core/webhook/jwks.ts';
import { isPrivateKey, publicKeyOf } from '../../core/webhook/key-pair.ts';
import { refuseAbove } from '../http/authorize.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { createSourceLimit } from '../http/limits/source-limit.ts';

type ReceiverKeysEndpointDependencies = {
  /** The signing secrets of a receiver, also of a deleted one (D8). */
  target: (id: string) => Promise<WebhookTarget | undefined>;
};

/** Programs cache the response, so one source needs few. */
const REQUESTS_PER_MINUTE = 60;
/** Far shorter than ROTATION_OVERLAP_MS: a cached response still has a key that signs. */
const CACHE_SECONDS = 300;

export function receiverKeysEndpoint({ target }: ReceiverKeysEndpointDependencies): Endpoint {
  const requests = createSourceLimit({ perMinute: REQUESTS_PER_MINUTE });

  return defineEndpoint({
    call: 'GET /receivers/{receiver_id}/jwks.json',
    operationId: 'getReceiverKeys',
    summary: 'Get the public keys of a receiver whose webhooks are signed with ed25519',
    permission: null,
    tag: 'receivers',
    errors: ['rate_limit_exceeded'],
    response: Jwks,
    handle: async ({ params: { receiver_id: id }, connection: { source }, now, setHeader }) => {
      refuseAbove(requests.state(source));
      requests.count(source);
      const found = await target(id);
      const keys = found ? signingSecrets(found, now).filter(isPrivateKey).map(publicKeyOf) : [];
      if (keys.length === 0) throw notFound('key');
      setHeader('Cache-Control', `public, max-age=${CACHE_SECONDS}`);
      return jwksOf(keys);
    },
  });
}
