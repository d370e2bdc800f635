/** Sends a canary: an email that is watched on its way from a sender to its receiver. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { type ConnectedServer, connectToServer } from '../../adapters/smtp/timed-mail.ts';
import type { DeliveryListItem } from '../../core/api/api-types.generated.ts';
import { isWithheld } from '../../core/api/withheld.ts';
import { mailDate } from '../../core/mail/mail-date.ts';
import type { Api } from '../api/client.ts';
import { ExitCode, Failure } from '../terminal/failure.ts';
import { causesOf } from '../terminal/fault-text.ts';
import type { Retrying } from '../live/retry.ts';
import { printable } from '../terminal/text.ts';
import { mailServersOf } from './mail-servers.ts';

const CANARY_STEPS = ['dns', 'connect', 'tls', 'accepted', 'stored', 'delivered'] as const;
type CanaryStep = (typeof CANARY_STEPS)[number];

export type Canary = {
  /** The address, and its id. */
  address: string;
  addressId: string;
  from: string;
  /** undefined: the MX records of the address's domain. */
  host: string | undefined;
  port: number;
  until: 'stored' | 'delivered';
  verifiesCertificate: boolean;
  ca: readonly string[];
  /** For tests. */
  nameServers?: string[];
};

/** What is printed. Times are of one step each, in milliseconds. */
export type CanaryResult = {
  ok: boolean;
  address: string;
  /** null until it is known; so are the next two. */
  host: string | null;
  place: string | null;
  reply: string | null;
  event_id: string | null;
  /** The step that failed, and why; null for none. */
  failed_step: CanaryStep | null;
  error: string | null;
  steps: Partial<Record<`${CanaryStep}_ms`, number>>;
  total_ms: number;
};

type RunCanaryDependencies = { api: Api; retrying: Retrying; signal: AbortSignal };

const POLLS_FAST = 20;
const POLL_MS = { fast: 250, slow: 1_000 };
/** Other emails of the address may arrive at the same time. */
const NEWEST = 50;

/** Never throws: a failure is part of the result. `exitCode` is for the command. */
export async function runCanary(
  canary: Canary,
  needs: RunCanaryDependencies,
): Promise<{ result: CanaryResult; exitCode: ExitCode }> {
  const startedMs = performance.now();
  const token = randomBytes(8).toString('hex');
  const result: CanaryResult = {
    ok: false,
    address: canary.address,
    host: null,
    place: null,
    reply: null,
    event_id: null,
    failed_step: null,
    error: null,
    steps: {},
    total_ms: 0,
  };
  let [step, beganMs] = ['dns' as CanaryStep, startedMs];
  const timed = async <T>(name: CanaryStep, work: () => Promise<T>): Promise<T> => {
    [step, beganMs] = [name, performance.now()];
    const value = await work();
    result.steps[`${name}_ms`] = Math.round(performance.now() - beganMs);
    return value;
  };
  let exitCode: ExitCode = ExitCode.done;
  try {
    await sendCanary(canary, token, needs, { timed, result });
    const item = await timed('stored', () => awaitItem(canary, token, needs));
    result.event_id = item.event_id;
    if (canary.until === 'delivered')
      await timed('delivered', () => awaitDelivery(item.event_id, needs));
    result.ok = true;
  } catch (error) {
    const isLate = needs.signal.aborted;
    result.failed_step = step;
    result.error = isLate ? `not ${DONE[step]} in time` : causesOf(error);
    exitCode = isLate ? ExitCode.timeout : exitCodeOf(error, step);
  }
  result.total_ms = Math.round(performance.now() - startedMs);
  return { result, exitCode };
}

const DONE: Record<CanaryStep, string> = {
  dns: 'looked up',
  connect: 'connected',
  tls: 'encrypted',
  accepted: 'accepted',
  stored: 'found in the API',
  delivered: 'delivered',
};

type Progress = {
  timed: <T>(name: CanaryStep, work: () => Promise<T>) => Promise<T>;
  result: CanaryResult;
};

async function sendCanary(
  { address, from, host, port, verifiesCertificate, ca, nameServers }: Canary,
  token: string,
  { signal }: RunCanaryDependencies,
  { timed, result }: Progress,
): Promise<void> {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  const hosts =
    host === undefined ? await timed('dns', () => mailServersOf(domain, nameServers)) : [host];
  const options = { verifiesCertificate, ca, signal };
  using server = await timed('connect', () =>
    firstOf(hosts, (name) => {
      result.host = name;
      return connectToServer({ host: name, port }, options);
    }),
  );
  result.place = server.place;
  await timed('tls', () => server.secure());
  result.reply = await timed('accepted', () =>
    server.send({ from, to: address }, canaryMail(from, address, token)),
  );
}

/** A sender goes on to the next server when one does not respond. */
async function firstOf(
  hosts: readonly string[],
  connectTo: (host: string) => Promise<ConnectedServer>,
): Promise<ConnectedServer> {
  const faults: string[] = [];
  for (const host of hosts)
    try {
      return await connectTo(host);
    } catch (error) {
      faults.push(`${host}: ${causesOf(error)}`);
    }
  throw new Failure(faults.join('; '), ExitCode.unreachable);
}

/** Lines that no parser and no filter can take for anything else. */
const canaryMail = (from: string, to: string, token: string): string =>
  [
    `From: Inlet canary <${from}>`,
    `To: <${to}>`,
    `Subject: ${subjectOf(token)}`,
    `Message-ID: <canary-${token}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    `Date: ${mailDate(new Date())}`,
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=us-ascii',
    '',
    'This email was sent by inlet canary to see whether email arrives.',
    '',
  ].join('\r\n');

const subjectOf = (token: string): string => `Inlet canary ${token}`;

async function awaitItem(
  { addressId }: Canary,
  token: string,
  { api, retrying, signal }: RunCanaryDependencies,
): Promise<DeliveryListItem> {
  const query = { address_id: addressId, receiver_id: addressId, limit: NEWEST };
  return polled(signal, async () => {
    const { data } = await retrying(() => api.call('GET /deliveries', { query, signal }));
    return data.find(({ subject }) => subject === subjectOf(token));
  });
}

async function awaitDelivery(
  event_id: string,
  { api, retrying, signal }: RunCanaryDependencies,
): Promise<void> {
  await polled(signal, async () => {
    const { status, attempts } = await retrying(() =>
      api.call('GET /deliveries/{event_id}', { params: { event_id }, signal }),
    );
    if (status === 'delivered') return true;
    const last = attempts.at(-1);
    const why = last ? `: ${last.error ?? `the receiver responded with ${last.status_code}`}` : '';
    if (status === 'failed') throw new Failure(`its delivery failed${printable(why)}`);
    if (isWithheld({ status })) throw new Failure(`it is ${status} by a rule of the address`);
    return undefined;
  });
}

/** @throws the reason of the signal when time is over */
async function polled<T>(signal: AbortSignal, ask: () => Promise<T | undefined>): Promise<T> {
  for (let polls = 1; ; polls++) {
    const found = await ask();
    if (found !== undefined) return found;
    await sleep(polls <= POLLS_FAST ? POLL_MS.fast : POLL_MS.slow, undefined, { signal });
  }
}

/** A refusal of the server has a reply code. */
function exitCodeOf(error: unknown, step: CanaryStep): ExitCode {
  if (error instanceof Failure) return error.exitCode;
  const isRefused = error instanceof Error && 'responseCode' in error;
  return isRefused || step === 'delivered' ? ExitCode.failed : ExitCode.unreachable;
}
