/**
 * Certificates for connections inside a release and for trying Inlet out: a new certificate
 * authority, and one server certificate from it.
 */
import { randomBytes } from 'node:crypto';

/** PEM texts. */
export type Certificate = { ca: string; cert: string; key: string };

const VALID_YEARS = 10;
const DNS_NAME = 2; // kinds of GeneralName, RFC 5280 §4.2.1.6
const IP_ADDRESS = 7;

type Options = {
  /** IP addresses of the server. */
  addresses?: readonly string[];
  /** Also valid for clients, such as the nodes of a cluster, which verify each other. */
  isForClients?: boolean;
};

/** @param names DNS names of the server, wildcards allowed; the first is the common name */
export async function makeCertificate(
  names: readonly string[],
  { addresses = [], isForClients = false }: Options = {},
): Promise<Certificate> {
  const { generate } = await import('selfsigned'); // 15 MB that only the first start needs
  const notAfterDate = new Date();
  notAfterDate.setFullYear(notAfterDate.getFullYear() + VALID_YEARS);
  const common = { keyType: 'ec', algorithm: 'sha256', notAfterDate } as const;
  // OpenSSL may try only the first of two authorities with the same name, so each gets its own
  // name.
  const authorityName = `Inlet CA ${randomBytes(4).toString('hex')}`;
  const authority = await generate([{ name: 'commonName', value: authorityName }], {
    ...common,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const altNames = [
    ...names.map((value) => ({ type: DNS_NAME, value }) as const),
    ...addresses.map((ip) => ({ type: IP_ADDRESS, ip }) as const),
  ];
  const server = await generate([{ name: 'commonName', value: names[0] ?? 'localhost' }], {
    ...common,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true, clientAuth: isForClients },
      { name: 'subjectAltName', altNames },
    ],
  });
  return { ca: authority.cert, cert: server.cert, key: server.private };
}
