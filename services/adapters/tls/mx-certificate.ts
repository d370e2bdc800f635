/** The certificate of the gateways, as far as MTA-STS needs it: without its key. */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import type { MxCertificate } from '../../core/deliverability/mx-certificate.ts';

export type ReadMxCertificate = () => Promise<MxCertificate | undefined>;

/** Reads the file at each call: certificates are renewed. @param file PEM; undefined for none */
export const createReadMxCertificate = (file: string | undefined): ReadMxCertificate =>
  async function readMxCertificate() {
    if (file === undefined) return undefined;
    try {
      const certificate = new X509Certificate(await readFile(file));
      return {
        names: dnsNames(certificate),
        notAfter: certificate.validToDate,
        isSelfSigned: certificate.checkIssued(certificate),
      };
    } catch {
      return undefined;
    }
  };

/** RFC 6125 §6.4.4: the common name does not count. */
const dnsNames = ({ subjectAltName = '' }: X509Certificate): string[] =>
  [...subjectAltName.matchAll(/DNS:([^\s,"]+)/g)].map(([, name = '']) => name.toLowerCase());
