/** The public keys of a receiver as JSON Web Keys (RFC 7517, RFC 8037). */
import { hash } from 'node:crypto';
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import { newPrivateKey, PUBLIC_PREFIX, publicKeyOf } from './key-pair.ts';

const Jwk = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string().describe('the public key in base64url'),
  kid: z.string().describe('SHA-256 thumbprint of the key (RFC 7638)'),
  use: z.literal('sig'),
  alg: z.literal('EdDSA'),
});

export const Jwks = z.object({
  keys: z.array(Jwk).describe('the current key first, then former ones that still sign'),
});
export type Jwks = z.infer<typeof Jwks>;

/** @param publicKeys each `whpk_…` */
export const jwksOf = (publicKeys: readonly string[]): Jwks => ({
  keys: publicKeys.map((publicKey) => {
    const bytes = Buffer.from(publicKey.slice(PUBLIC_PREFIX.length), 'base64');
    const key = { crv: 'Ed25519', kty: 'OKP', x: bytes.toString('base64url') } as const;
    // RFC 7638 §3.2, RFC 8037 appendix A.3: these members in this order
    return {
      ...key,
      kid: hash('sha256', JSON.stringify(key), 'base64url'),
      use: 'sig',
      alg: 'EdDSA',
    };
  }),
});

const EXAMPLE_KEY = newPrivateKey(Buffer.from('inlet example secret, 32 bytes!!'));
describeSchema(Jwks, 'JsonWebKeySet', jwksOf([publicKeyOf(EXAMPLE_KEY)]));
