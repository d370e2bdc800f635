/**
 * Asks mail servers on port 25 whether they answer, and whether their certificate is valid for
 * their name. A probe sends EHLO, STARTTLS and QUIT, and never an email.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';

import {
  daneOutcome,
  presentedCertificate,
  type PresentedCertificate,
  tlsaName,
  tlsaValue,
} from '../../core/deliverability/dane.ts';
import { createShares } from '../../core/delivery/claim.ts';
import { absoluteDnsName } from '../../core/network/dns-name.ts';
import type { MxAnswer } from '../../core/deliverability/deliverability-facts.ts';
import { SMTP } from '../../core/network/deadlines.ts';
import { networkRefusal } from '../../core/network/public-network.ts';
import type { Dns } from '../dns/resolver.ts';
import { openSocket } from '../dns/sockets.ts';
import { createFreshCache } from '../async/fresh-cache.ts';

/** @param accountId whose domain names the host */
export type ProbeMx = (host: string, accountId: string) => Promise<MxAnswer>;

type Options = {
  dns: Pick<Dns, 'find'>;
  /** CIDR ranges that are allowed although they are not public. */
  allowedNetworks: readonly string[];
  /** For EHLO. */
  ownName: string;
  /** For one host, without the DNS. */
  timeoutMs?: number;
  /** Another one in tests only. */
  port?: number;
};

const SMTP_PORT = 25;
const TIMEOUT_MS = 5_000;
/** A host is asked once in this time by this process, however many domains name it. */
const CACHE_MS = 5 * 60_000;
const HOSTS_CACHED = 2_000;
/** More answer `not_checked`. An account gets a fair share: its hosts that hang leave some to others. */
const PROBES_AT_ONCE = 20;
const REPLY_MAX_BYTES = 8_192;
const DETAIL_MAX_CHARS = 200;
const NO_NAME = 'the MX record names a text that is not a DNS name';

export function createMxProbe({
  dns,
  allowedNetworks,
  ownName,
  timeoutMs = TIMEOUT_MS,
  port = SMTP_PORT,
}: Options): ProbeMx {
  const answers = createFreshCache<MxAnswer>({
    maxSize: HOSTS_CACHED,
    freshMs: ({ outcome }) => (outcome === 'not_checked' ? 0 : CACHE_MS),
  });
  const shares = createShares(PROBES_AT_ONCE);

  const dane = async (
    host: string,
    presented: PresentedCertificate | undefined,
  ): Promise<MxAnswer['dane']> => ({
    outcome: daneOutcome(await dns.find(tlsaName(host), 'TLSA').catch(() => null), presented),
    value: presented === undefined ? null : tlsaValue(presented),
  });

  const probe = async (host: string, accountId: string): Promise<MxAnswer> => {
    const unanswered = (outcome: MxAnswer['outcome'], detail: string | null = null): MxAnswer => ({
      host,
      outcome,
      tls: 'not_checked',
      detail,
    });
    using taken = shares.take(accountId, 1);
    if (taken === undefined) return unanswered('not_checked');
    const addresses = await addressesOf(dns, host);
    if (addresses === undefined) return unanswered('no_response', 'the DNS did not respond');
    const [address] = addresses;
    if (address === undefined)
      return unanswered('no_address', absoluteDnsName(host) === undefined ? NO_NAME : null);
    // The address that was checked is the one that is connected to.
    if (addresses.some((one) => networkRefusal(one, allowedNetworks)))
      return unanswered('not_public');
    const server = { address, port, host, ownName };
    const { presented, ...answer } = await converse(server, AbortSignal.timeout(timeoutMs));
    return answer.tls === 'not_checked' ? answer : { ...answer, dane: await dane(host, presented) };
  };
  return (host, accountId) => answers.get(host, () => probe(host, accountId));
}

/** Where the check is off. */
export const unprobedMx: ProbeMx = (host) =>
  Promise.resolve({ host, outcome: 'not_checked', tls: 'not_checked', detail: null });

/** IPv4 first. undefined when the DNS does not respond. */
async function addressesOf(dns: Pick<Dns, 'find'>, host: string): Promise<string[] | undefined> {
  const found = await Promise.allSettled([dns.find(host, 'A'), dns.find(host, 'AAAA')]);
  const known = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  return known.length === 0 && found.some(({ status }) => status === 'rejected')
    ? undefined
    : known;
}

type Conversation = MxAnswer & { presented?: PresentedCertificate };

type Server = { address: string; port: number; host: string; ownName: string };

async function converse(
  { address, port, host, ownName }: Server,
  signal: AbortSignal,
): Promise<Conversation> {
  let socket: Socket | undefined;
  let outcome: MxAnswer['outcome'] = 'no_response';
  try {
    socket = await openSocket({ host: address, port }, SMTP.connectionTimeout, signal);
    socket.on('error', () => undefined); // also between the steps below
    outcome = 'no_greeting';
    const greeting = await replyOf(socket, signal);
    if (!greeting.startsWith('220'))
      return { host, outcome, tls: 'not_checked', detail: shown(greeting) };
    outcome = 'greeted';
    const capabilities = await ask(socket, `EHLO ${ownName}`, signal);
    if (!/^250[ -]STARTTLS\s*$/im.test(capabilities))
      return { host, outcome, tls: 'not_offered', detail: null };
    const consent = await ask(socket, 'STARTTLS', signal);
    if (!consent.startsWith('220'))
      return { host, outcome, tls: 'not_offered', detail: shown(consent) };
    return { host, outcome, ...(await certificateOf(socket, host, signal)) };
  } catch (error) {
    const { code } = error as { code?: string };
    const isRefused = outcome === 'no_response' && code === 'ECONNREFUSED';
    return {
      host,
      outcome: isRefused ? 'refused' : outcome,
      tls: 'not_checked',
      detail: signal.aborted ? 'timeout' : (code ?? null),
    };
  } finally {
    socket?.destroy();
  }
}

function ask(socket: Socket, command: string, signal: AbortSignal): Promise<string> {
  socket.write(`${command}\r\n`);
  return replyOf(socket, signal);
}

/** The lines up to the last of a reply (RFC 5321 §4.2.1). @throws when it ends or is too long */
const replyOf = (socket: Socket, signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    let reply = '';
    const end = (error?: Error) => {
      socket.off('data', read).off('error', end).off('close', close);
      signal.removeEventListener('abort', close);
      if (error) reject(error);
      else resolve(reply);
    };
    const close = () => end(new Error('the connection ended'));
    const read = (chunk: Buffer) => {
      reply += chunk.toString('latin1');
      if (/(^|\n)\d{3}( .*)?\r?\n$/.test(reply)) end();
      else if (reply.length > REPLY_MAX_BYTES) end(new Error('the reply is too long'));
    };
    socket.on('data', read).on('error', end).on('close', close);
    signal.addEventListener('abort', close);
    if (signal.aborted) close();
  });

/** Not valid: of an authority that this machine does not trust, expired, or for other names. */
async function certificateOf(
  socket: Socket,
  host: string,
  signal: AbortSignal,
): Promise<Pick<Conversation, 'tls' | 'detail' | 'presented'>> {
  const secured: TLSSocket = connectTls({ socket, servername: host, rejectUnauthorized: false });
  secured.on('error', () => undefined);
  try {
    await once(secured, 'secureConnect', { signal });
    const { valid_to, raw } = secured.getPeerCertificate();
    const presented = presentedCertificate(raw);
    const fault: unknown = secured.authorizationError;
    secured.end('QUIT\r\n');
    return secured.authorized
      ? {
          tls: 'valid',
          detail: `until ${new Date(valid_to).toISOString().slice(0, 10)}`,
          presented,
        }
      : {
          tls: 'invalid',
          detail: shown(fault instanceof Error ? fault.message : String(fault)),
          presented,
        };
  } catch (error) {
    const { code } = error as { code?: string };
    return { tls: 'invalid', detail: signal.aborted ? 'timeout' : (code ?? null) };
  } finally {
    secured.destroy();
  }
}

/** The server wrote it: one line of printable characters. */
const shown = (text: string): string =>
  text
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, DETAIL_MAX_CHARS);
