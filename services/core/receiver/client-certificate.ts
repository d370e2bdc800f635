/** A client certificate with its private key, for a receiver that wants mutual TLS (D52). */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import { Timestamp, timestamp } from '../time/timestamp.ts';

const PEM_MAX_CHARS = 16_384;
const CHAIN_MAX = 5;

export const ClientCertificate = z
  .strictObject({
    certificate: z
      .string()
      .max(PEM_MAX_CHARS)
      .meta({ format: 'pem-certificate' })
      .describe('PEM: the certificate of Inlet, then those of its authorities, if any'),
    private_key: z
      .string()
      .max(PEM_MAX_CHARS)
      .meta({ format: 'pem-private-key' })
      .describe('PEM, without a passphrase'),
  })
  .superRefine((pair, context) => {
    const fault = certificateFault(pair);
    if (fault)
      context.addIssue({
        code: 'custom',
        path: [fault],
        params: { rule: 'invalid_value' },
        message: FAULT_TEXT[fault],
      });
  });
export type ClientCertificate = z.infer<typeof ClientCertificate>;
describeSchema(ClientCertificate, 'ClientCertificate');

export const ClientCertificateView = z.object({
  subject: z.string().describe('of the certificate'),
  fingerprint_sha256: z.string(),
  expires_at: Timestamp,
});
export type ClientCertificateView = z.infer<typeof ClientCertificateView>;

/** The field that cannot be used. One that has expired can: the receiver decides. */
const FAULT_TEXT = {
  certificate: `must be 1 to ${CHAIN_MAX} certificates in PEM`,
  private_key: 'must be the private key of the certificate in PEM, without a passphrase',
};

function certificateFault(pair: {
  certificate: string;
  private_key: string;
}): 'certificate' | 'private_key' | undefined {
  const blocks = pair.certificate.match(
    /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g,
  );
  if (blocks === null || blocks.length > CHAIN_MAX) return 'certificate';
  const chain = blocks.map(certificateOf);
  const [own] = chain;
  if (own === undefined || chain.includes(undefined)) return 'certificate';
  const key = keyOf(pair.private_key);
  return key && own.checkPrivateKey(key) ? undefined : 'private_key';
}

function certificateOf(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function keyOf(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

export function clientCertificateView({ certificate }: ClientCertificate): ClientCertificateView {
  const { subject, fingerprint256, validToDate } = new X509Certificate(certificate);
  return {
    subject: subject.replaceAll('\n', ', '),
    fingerprint_sha256: fingerprint256,
    expires_at: timestamp(validToDate),
  };
}
