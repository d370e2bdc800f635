/**
 * Domains below `.test`, for email that is authentic on this machine only: `npm start` answers the
 * DNS for them, and `inlet send --as` signs with the key in the data folder. No other process has
 * this zone. Domains below `unauthenticated.test` have no records.
 */
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';

import { CHALLENGE_LABEL } from '../../core/domain/challenge.ts';
import type { LocalZone } from '../../adapters/dns/local-zone.ts';
import { readIfThere, writeWhole } from '../state/whole-file.ts';

const MODULUS_BITS = 2048; // RFC 8301 §3.2
const SELECTOR = 'inlet';
/** The HELO name of all other emails. An address instead of a name would be a permerror of SPF. */
const CLIENT = 'client.test';
/** The HELO name of `inlet send --as`. SPF accepts it and no other one. */
const GENUINE_CLIENT = 'genuine.client.test';
const ACCEPTED_CLIENTS = 'accepted-clients.test';
const WITHOUT_RECORDS = /(^|\.)unauthenticated\.test$/;

/** How `inlet send --as` proves that an email is authentic. */
export const proofOf = (keyFile: string) => ({
  key_file: keyFile,
  selector: SELECTOR,
  genuine_helo: GENUINE_CLIENT,
  other_helo: CLIENT,
});

/** The private key that signs for all test domains. */
export async function ensureSigningKey(dataDir: string): Promise<{ file: string; pem: string }> {
  const file = join(dataDir, 'dkim-key.pem');
  const stored = await readIfThere(file);
  if (stored) return { file, pem: stored };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: MODULUS_BITS });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  await writeWhole(file, pem);
  return { file, pem };
}

/**
 * @param pem the private key
 * @param challengeOf the text that proves a domain of the account of npm start
 */
export function testDomains(
  pem: string,
  challengeOf: (domain: string) => Promise<string | undefined>,
): LocalZone {
  const key = createPublicKey(pem).export({ type: 'spki', format: 'der' }).toString('base64');
  return (name) => {
    if (name.endsWith('.arpa')) return { PTR: CLIENT };
    if (name === CLIENT || name === `${GENUINE_CLIENT}.${ACCEPTED_CLIENTS}`)
      return { A: '127.0.0.1' };
    if (name.endsWith(`.${ACCEPTED_CLIENTS}`) || WITHOUT_RECORDS.test(name)) return undefined;
    if (name === 'test' || name === '_dmarc.test') return undefined;
    if (name.startsWith(`${SELECTOR}._domainkey.`)) return { TXT: `v=DKIM1; k=rsa; p=${key}` };
    if (name.startsWith('_dmarc.')) return { TXT: 'v=DMARC1; p=reject' };
    if (name.startsWith(`${CHALLENGE_LABEL}.`))
      return challengeOf(name.slice(CHALLENGE_LABEL.length + 1)).then((text) =>
        text === undefined ? undefined : { TXT: text },
      );
    if (name.split('.').some((label) => label.startsWith('_'))) return undefined;
    return { A: '127.0.0.1', TXT: `v=spf1 exists:%{h}.${ACCEPTED_CLIENTS} -all` };
  };
}
