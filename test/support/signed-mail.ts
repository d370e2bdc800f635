/**
 * Emails as senders and forwarders create them: signed with DKIM and sealed with ARC, with the keys
 * to publish in DNS.
 */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';

import { dkimSign, sealMessage } from 'mailauth';

import type { TestDns } from './dns-server.ts';

export type Signer = { signingDomain: string; selector: string; privateKey: string };

/** A key of a domain, published at its selector. */
export function publishKey(
  dns: TestDns,
  domain: string,
  selector: string,
  type: 'rsa' | 'ed25519' | 'weak' = 'rsa',
): Signer {
  const { publicKey, privateKey } =
    type === 'ed25519'
      ? generateKeyPairSync('ed25519')
      : generateKeyPairSync('rsa', { modulusLength: type === 'weak' ? 768 : 2048 });
  const der = publicKey.export({ type: 'spki', format: 'der' });
  const p = (type === 'ed25519' ? der.subarray(-32) : der).toString('base64'); // RFC 8463 §4.2
  dns.set(`${selector}._domainkey.${domain}`, {
    TXT: [`v=DKIM1; k=${publicKey.asymmetricKeyType}; p=${p}`],
  });
  return {
    signingDomain: domain,
    selector,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** The email with one signature per signer on top. */
export async function signed(
  mail: string,
  ...signers: (Signer & {
    maxBodyLength?: number;
    canonicalization?: string;
    algorithm?: string;
    expires?: Date;
  })[]
): Promise<string> {
  const expires = signers.find((signer) => signer.expires)?.expires; // all of them or none
  const { signatures, errors } = await dkimSign(mail, {
    signatureData: signers,
    ...(expires && { expires, signTime: new Date(0) }),
  } as Parameters<typeof dkimSign>[1]); // its types ask for a signer twice
  if (errors.length > 0) throw new Error('cannot sign', { cause: errors[0] });
  return `${signatures}${mail}`;
}

/** The email as a forwarder sends it, with an ARC seal over its results. */
export async function sealed(
  mail: string,
  signer: Signer,
  authResults: string,
  cv: 'none' | 'pass' | 'fail' = 'none',
): Promise<string> {
  const headers = await sealMessage(mail, {
    ...signer,
    authResults: `${signer.signingDomain}; ${authResults}`,
    cv,
  });
  return `${headers.toString()}${mail}`;
}

/** An email with all the headers that an ordinary one has. */
export const plainMail = ({
  from = 'Ann <ann@sender.test>',
  subject = 'Hello',
  body = 'Hello,\r\nhow are you?\r\n',
  extra = '',
} = {}): string =>
  `${extra}From: ${from}\r\nTo: you@in.example\r\nSubject: ${subject}\r\n` +
  'Date: Mon, 02 Feb 2026 10:00:00 +0000\r\n' +
  `Message-ID: <${crypto.randomUUID()}@sender.test>\r\n\r\n${body}`;

/** RFC 6376 §3.4.2, without the line end. */
const relaxed = (field: string) =>
  field
    .replace(/[ \t\r\n]+/g, ' ')
    .replace(/^([^:]*) ?: ?/, (_, name: string) => `${name.toLowerCase()}:`)
    .trim();

const signatureOf = (privateKey: string, fields: readonly string[]): string =>
  sign('sha256', Buffer.from(fields.map(relaxed).join('\r\n')), privateKey).toString('base64');

const hashed = (mail: string) => {
  const body = mail.slice(mail.indexOf('\r\n\r\n') + 4);
  return createHash('sha256').update(body).digest('base64');
};
const fromOf = (mail: string) => /^From:.*$/m.exec(mail)?.[0] ?? '';

/** A correct signature of From with these tags, which name its key in any way. */
export function signedWithTags(mail: string, tags: string, privateKey: string): string {
  const covers = `c=relaxed/simple; h=from; bh=${hashed(mail)}`;
  const unsigned = `DKIM-Signature: v=1; a=rsa-sha256; ${covers}; ${tags}; b=`;
  return `${unsigned}${signatureOf(privateKey, [fromOf(mail), unsigned])}\r\n${mail}`;
}

/** A correct ARC set with these tags in its seal and its signature. */
export function sealedWithTags(mail: string, tags: string, privateKey: string): string {
  const results = 'ARC-Authentication-Results: i=1; bank.test; dmarc=pass header.from=bank.test';
  const covers = `c=relaxed/simple; h=from; bh=${hashed(mail)}`;
  const unsigned = `ARC-Message-Signature: i=1; a=rsa-sha256; ${covers}; ${tags}; b=`;
  const message = unsigned + signatureOf(privateKey, [fromOf(mail), unsigned]);
  const seal = `ARC-Seal: i=1; a=rsa-sha256; cv=none; ${tags}; b=`;
  const signedSeal = seal + signatureOf(privateKey, [results, message, seal]);
  return `${signedSeal}\r\n${message}\r\n${results}\r\n${mail}`;
}
