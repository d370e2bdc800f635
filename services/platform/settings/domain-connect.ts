/** The settings of Domain Connect: who asks DNS hosts for records, and its key. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

import { z } from 'zod';

import { asciiDomain } from '../../core/mail/fields/email-address.ts';

const RsaKey = z.string().transform((pem, context): KeyObject => {
  try {
    const key = createPrivateKey(pem.replaceAll('\\n', '\n'));
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // the same fault: the text of a key is never part of a message
  }
  context.addIssue({ code: 'custom', message: 'is not an RSA private key in PEM' });
  return z.NEVER;
});

export const DomainConnectConfig = {
  DOMAIN_CONNECT_PROVIDER: z
    .string()
    .refine((name) => asciiDomain(name) === name, { error: 'is not a domain' })
    .optional()
    .describe(
      'offer the owners of domains to set their records by Domain Connect, as the provider with ' +
        'this id, which is a domain of yours: see docs/domain-connect.md',
    ),
  DOMAIN_CONNECT_KEY: RsaKey.optional().describe(
    'RSA private key (PEM) that signs the requests for records; its public key is a TXT record ' +
      'of DOMAIN_CONNECT_PROVIDER',
  ),
};
export type DomainConnectConfig = z.output<z.ZodObject<typeof DomainConnectConfig>>;

/** Undefined when the owners of domains set their records themselves. */
export type DomainConnectProvider = { id: string; key: KeyObject };

export const domainConnectOf = ({
  DOMAIN_CONNECT_PROVIDER: id,
  DOMAIN_CONNECT_KEY: key,
}: DomainConnectConfig): DomainConnectProvider | undefined =>
  id !== undefined && key !== undefined ? { id, key } : undefined;

export const domainConnectIsWhole = (config: DomainConnectConfig): boolean =>
  (config.DOMAIN_CONNECT_PROVIDER === undefined) === (config.DOMAIN_CONNECT_KEY === undefined);

/** The fault when it is not. */
export const DOMAIN_CONNECT_TOGETHER = {
  path: ['DOMAIN_CONNECT_KEY'],
  message: 'must be set together with DOMAIN_CONNECT_PROVIDER, or neither',
};

/**
 * TXT records with the public key, as DNS hosts read it (§5.4): parts of at most 255 octets, in
 * records of their own.
 */
export function publicKeyRecords(key: KeyObject): string[] {
  const data = createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64');
  const parts = data.match(/.{1,200}/g) ?? [];
  return parts.map((part, at) => `p=${at + 1},a=RS256,d=${part}`);
}
