/**
 * Keys that the first start creates and later starts reuse: a certificate authority with a
 * certificate for this machine, the key that encrypts webhook secrets, and the key that signs
 * links.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

import { makeCertificate } from '../adapters/tls/certificates.ts';
import { readIfThere, writeWhole } from './state/whole-file.ts';

export type Tls = { caFile: string; certFile: string; keyFile: string };

const KEY_BYTES = 32;

/**
 * A certificate for localhost, 127.0.0.1 and ::1. The gateway uses it for STARTTLS, the demo
 * receiver for HTTPS.
 */
export async function ensureTls(dataDir: string): Promise<Tls> {
  const dir = join(dataDir, 'tls');
  const tls: Tls = {
    caFile: join(dir, 'ca.pem'),
    certFile: join(dir, 'cert.pem'),
    keyFile: join(dir, 'key.pem'),
  };
  const files = await Promise.all([tls.caFile, tls.certFile, tls.keyFile].map(readIfThere));
  if (files.every((text) => text !== undefined)) return tls;

  const { ca, cert, key } = await makeCertificate(['localhost'], {
    addresses: ['127.0.0.1', '::1'],
  });
  await writeWhole(tls.caFile, ca);
  await writeWhole(tls.keyFile, key);
  await writeWhole(tls.certFile, cert);
  return tls;
}

/**
 * A key in the form of SECRET_KEYS, LINK_KEYS and REPLY_KEYS. Without `secret-key`, webhook secrets in the
 * database are unreadable.
 */
export async function ensureKey(
  dataDir: string,
  name: 'secret-key' | 'link-key' | 'reply-key',
): Promise<string> {
  const path = join(dataDir, name);
  const stored = (await readIfThere(path))?.trim();
  if (stored) return stored;
  const key = randomBytes(KEY_BYTES).toString('base64');
  await writeWhole(path, `${key}\n`);
  return key;
}
