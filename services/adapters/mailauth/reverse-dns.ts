/** Reverse DNS of a client (iprev, RFC 8601 §2.7.3). */
import type { Authentication } from '../../core/mail/authentication.ts';
import { isInNetworks } from '../../core/network.ts';
import { reversedName } from '../../core/smtp/reversed-name.ts';
import { asciiLower, type LookUps } from './lookups.ts';

const NAMES_MAX = 5; // names of one address; the RFC leaves the limit open

/** A name of the address that leads back to it (RFC 8601 §2.7.3). */
export async function reverseDns(lookUps: LookUps, ip: string): Promise<Authentication['iprev']> {
  const nameOfAddress = reversedName(ip);
  const type = ip.includes(':') && !nameOfAddress?.endsWith('.in-addr.arpa') ? 'AAAA' : 'A';
  const names = nameOfAddress === undefined ? [] : await lookUps.find(nameOfAddress, 'PTR');
  if (names === undefined) return { result: 'temperror', name: null };
  if (names.length === 0) return { result: 'permerror', name: null };
  const addresses = await Promise.all(
    names
      .slice(0, NAMES_MAX)
      .map(async (name) => ({ name, found: await lookUps.find(name, type) })),
  );
  const back = addresses.find(({ found }) => found?.some((address) => isInNetworks(ip, [address])));
  if (back !== undefined) return { result: 'pass', name: asciiLower(back.name) };
  return {
    result: addresses.some(({ found }) => found === undefined) ? 'temperror' : 'fail',
    name: null,
  };
}
