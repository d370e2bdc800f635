/** Reverse DNS of a client (iprev, RFC 8601 §2.7.3). */
import { absoluteDnsName } from '../../core/network/dns-name.ts';
import type { Authentication } from '../../core/mail/authentication.ts';
import { isInNetworks } from '../../core/network/network.ts';
import { reversedName } from '../../core/smtp/reversed-name.ts';
import { asciiLower, type LookUps } from './lookups.ts';

const NAMES_MAX = 5; // names of one address; the RFC leaves the limit open

/** A name of the address that leads back to it (RFC 8601 §2.7.3). */
export async function reverseDns(lookUps: LookUps, ip: string): Promise<Authentication['iprev']> {
  const nameOfAddress = reversedName(ip);
  const type = ip.includes(':') && !nameOfAddress?.endsWith('.in-addr.arpa') ? 'AAAA' : 'A';
  const found = nameOfAddress === undefined ? [] : await lookUps.find(nameOfAddress, 'PTR');
  if (found === undefined) return { result: 'temperror', name: null };
  const names = found.filter((name) => absoluteDnsName(name) !== undefined); // D110
  if (names.length === 0) return { result: 'permerror', name: null };
  const addresses = await Promise.all(
    names.slice(0, NAMES_MAX).map(async (name) => ({ name, back: await lookUps.find(name, type) })),
  );
  const proven = addresses.find(({ back }) => back?.some((one) => isInNetworks(ip, [one])));
  if (proven !== undefined) return { result: 'pass', name: asciiLower(proven.name) };
  return {
    result: addresses.some(({ back }) => back === undefined) ? 'temperror' : 'fail',
    name: null,
  };
}
