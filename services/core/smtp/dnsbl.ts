/** How the answers of DNS blocklists are read (RFC 5782), and the reply to a listed source. */
import { z } from 'zod';

import { networkRefusal } from '../network/public-network.ts';
import { isInNetworks } from '../network/network.ts';
import { listedInBlocklist, type SmtpReply } from './smtp-reply.ts';

/** A blocklist. Senders see its name, because its zone may contain a customer's key. */
export type Blocklist = { name: string; zone: string };

const HOST_NAME =
  /^(?=.{1,200}$)[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)+$/i;

/** A setting that is a comma-separated list of zones, each as `zone` or `name=zone`. */
export const BlocklistList = z.string().transform((text, context) => {
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const lists = words.map((word): Blocklist => ({
    name: word.replace(/=.*/, ''),
    zone: word.replace(/^[^=]*=/, ''),
  }));
  const bad = lists.findIndex(({ name, zone }) => !HOST_NAME.test(name) || !HOST_NAME.test(zone));
  if (bad === -1) return lists;
  context.addIssue({
    code: 'custom',
    message: `"${words[bad]}" is not a zone such as bl.example.org, nor name=zone`,
  });
  return z.NEVER;
});

/** Whether to look up this address: lists only cover the public Internet. */
export const canBeListed = (address: string, exemptNetworks: readonly string[]): boolean =>
  networkRefusal(address, []) === undefined && !isInNetworks(address, exemptNetworks);

/**
 * Whether an answer is an entry. Entries are in 127.0.0.0/8 (RFC 5782 §2.1); other answers come
 * from an abandoned zone or a resolver that rewrites them. Lists report errors as 127.255.255.0/24,
 * and some refuse to answer with 127.0.0.1.
 */
export const isListing = (answer: string): boolean =>
  isInNetworks(answer, ['127.0.0.0/8']) && !isInNetworks(answer, ['127.0.0.1', '127.255.255.0/24']);

const MAX_REASON = 250; // a reply line has 512 bytes, RFC 5321 §4.5.3.1.5

/** @param reason the list's TXT record, usually with a link */
export function refusalOfListed({ name }: Blocklist, reason: string | undefined): SmtpReply {
  const words = reason
    ?.replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, MAX_REASON);
  return {
    ...listedInBlocklist,
    text: `Your IP address is listed by ${name}${words ? `: ${words}` : ''}`,
  };
}
