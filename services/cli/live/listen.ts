/** `inlet listen`: shows each email as it arrives, and posts it to a local program. */
import { unescape } from 'node:querystring';

import { Option } from 'commander';

import { openSocket } from '../../adapters/dns/sockets.ts';
import type { Address, DeliveryListItem, LiveEvent } from '../../core/api/api-types.generated.ts';
import {
  hasOtherBody,
  type OtherBody,
  WEBHOOK_FORMATS,
} from '../../core/receiver/webhook-format-names.ts';
import { createAddressNames } from '../api/address-names.ts';
import { type Api, createApi, found } from '../api/client.ts';
import { createFetch, type Fetch, readCaFile } from '../api/fetch.ts';
import { timeIn } from '../terminal/arguments.ts';
import type { Cli, Connected } from '../api/cli.ts';
import { usageFault } from '../terminal/failure.ts';
import { liveEvents, liveNeeds, wantedAddress } from './events.ts';
import { emailLines, listenByPull } from './listen-pull.ts';
import { CONTENT_IS_GONE, createForwarder, type Forwarded, newPayload } from './forward.ts';
import { paintStatus } from '../terminal/delivery-status.ts';
import { printable } from '../terminal/text.ts';

/** `authorization`: for HTTP Basic. */
type ForwardTarget = { url: string; authorization?: string };

type Options = {
  address?: string;
  forward?: ForwardTarget;
  format?: OtherBody;
  print: 'summary' | 'body';
  since?: string;
  create?: boolean;
  showSecret?: boolean;
  webhookUrl?: string;
  pull?: boolean;
  receiver?: string;
};

export function addListenCommand(cli: Cli): void {
  cli.program
    .command('listen')
    .description('show each email as it arrives, and post it to a local URL, signed')
    .option('--address <address>', 'only email of this address; default: of all addresses')
    .option('--forward <url>', 'post each email there: http://localhost:3000')
    .addOption(
      new Option(
        '--format <format>',
        'post what the inbound webhook of another service posts',
      ).choices(WEBHOOK_FORMATS.filter(hasOtherBody)),
    )
    .option('--show-secret', 'print the whole secret that signs, not only how it begins')
    .addOption(
      new Option('--print <what>', 'what to show of an email')
        .choices(['summary', 'body'])
        .default('summary'),
    )
    .option('--since <time>', 'begin with emails since a time, or a duration ago: 1h', timeIn)
    .option(
      '--pull',
      'lease the emails of a receiver with the mode pull: what is not accepted comes again',
    )
    .option('--receiver <id>', 'with --pull: a further receiver; default: the first one')
    .option('--create', 'create an address, and delete it at the end')
    .option(
      '--webhook-url <url>',
      'receiver of the created address; default: that of npm start, or none',
    )
    .addHelpText(
      'after',
      '\nReplays are posted, too, also of an address without a webhook URL: inlet deliveries replay EVENT\n' +
        'The token needs deliveries:read, and for --forward addresses:read and secrets:read. Ctrl-C ends it.\n' +
        'It continues after a lost connection, without losing or repeating an email.\n' +
        '--pull needs deliveries:consume, too. An email is acknowledged when --forward accepted it, or\n' +
        'when it is printed.',
    )
    .action(async ({ forward, ...given }: Omit<Options, 'forward'> & { forward?: string }) => {
      const options = { ...given, ...(forward !== undefined && { forward: targetOf(forward) }) };
      refuseContradictions(options);
      const connection = await cli.connect();
      if (!options.create) return listen(cli, connection, options);
      const { id, address } = await createAddress(connection, options);
      cli.terminal.complain(`created ${address} (${id})\n`);
      try {
        await listen(cli, connection, { ...options, address: id });
      } finally {
        await deleteAddress(cli, connection, id);
        cli.terminal.complain(`deleted ${address}\n`);
      }
    });
}

async function listen(cli: Cli, connection: Connected, options: Options): Promise<void> {
  const { write, complain } = cli.terminal;
  const needs = liveNeeds(cli, connection);
  const wanted = await wantedAddress(needs, options.address);
  if (options.forward !== undefined) await describeTarget(cli, options.forward.url);
  const forward =
    options.forward === undefined
      ? undefined
      : createForwarder(
          { ...needs, request: await requestOfForward(connection) },
          { ...options.forward, format: options.format, userAgent: cli.userAgent },
          (address, secret) =>
            complain(`webhook secret of ${address}: ${secretText(secret, options)}\n`),
        );
  if (wanted !== undefined) await forward?.prepare(wanted, options.receiver);
  if (options.pull && wanted !== undefined)
    return ignoringStop(cli, () =>
      listenByPull(
        cli,
        connection,
        { addressId: wanted, receiverId: options.receiver },
        { print: options.print, forward, line: (response) => responseLine(cli, response) },
      ),
    );
  const names = createAddressNames(needs.api.call);
  const replays = createReplaysSeen(needs.api);
  const show = async (event: LiveEvent) => {
    const { event_id: eventId, address_id: addressId, receiver_id, delivery } = event;
    if (eventId === undefined || !addressId || delivery === undefined) return;
    // each email once, as its address gets it; an earlier release names no receiver
    if (receiver_id !== undefined && receiver_id !== addressId) return;
    if (event.type !== 'email.received' && !(await replays.isNew(event.type, delivery))) return;
    const printsBody = options.print === 'body';
    const payload = forward || printsBody ? await newPayload(needs, eventId) : undefined;
    if (printsBody && payload) cli.printJson(`${payload.toString()}\n`);
    else if (printsBody) complain(`${eventId}: ${CONTENT_IS_GONE}\n`);
    else if (!cli.wantsJson())
      write(emailLines(cli, delivery, delivery.recipient ?? (await names.of(addressId))));
    const response = forward && (await forward.post({ eventId, addressId, payload }));
    if (!printsBody && cli.wantsJson())
      cli.printJson(`${JSON.stringify({ ...delivery, ...(response && { response }) })}\n`);
    else if (response) (printsBody ? complain : write)(responseLine(cli, response));
  };
  // all types, because an earlier API refuses the name of one that it does not have
  const events = liveEvents(needs, { addressId: wanted, since: options.since });
  await ignoringStop(cli, async () => {
    for await (const event of events) await show(event);
  });
}

/** Ctrl-C ends a call. */
async function ignoringStop({ terminal }: Cli, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!terminal.stopped.aborted) throw error;
  }
}

/** @throws Failure */
function refuseContradictions({
  create,
  address,
  pull,
  receiver,
  since,
  forward,
  format,
}: Options): void {
  if (create && address !== undefined)
    throw usageFault('--create and --address exclude each other');
  if (pull && !create && address === undefined)
    throw usageFault('--pull needs --address or --create: emails are leased of one address');
  if (pull && since !== undefined) throw usageFault('--pull and --since exclude each other');
  if (format !== undefined && forward === undefined)
    throw usageFault('--format is only for --forward');
  if (receiver !== undefined && !pull) throw usageFault('--receiver is only for --pull');
}

/**
 * After a replay, the attempt at the receiver is an event like any other: the record says whether a
 * request had asked for it. A first attempt has none. Without a webhook URL, the replay itself is an
 * event, and no attempt follows.
 */
function createReplaysSeen(api: Api) {
  const startedAt = new Date().toISOString();
  /** The time and the number of the last replay of each email. */
  const seen = new Map<string, string>();
  const isLater = async (event_id: string): Promise<boolean> => {
    const delivery = await found(api.call('GET /deliveries/{event_id}', { params: { event_id } }));
    const replays = delivery?.history.filter(({ did }) => did === 'replayed' || did === 'retried');
    const time = replays?.at(-1)?.time;
    const last = `${time} ${replays?.length}`; // two can be within the second that times have
    if (time === undefined || time <= startedAt || last === seen.get(event_id)) return false;
    if (seen.size >= REPLAYS_SEEN_MAX) seen.clear();
    seen.set(event_id, last);
    return true;
  };
  return {
    isNew: async (type: LiveEvent['type'], delivery: DeliveryListItem): Promise<boolean> => {
      if (type === 'delivery.replayed') return delivery.outcome === 'no_url';
      return (
        type.startsWith('webhook.') && delivery.attempt_count > 1 && isLater(delivery.event_id)
      );
    },
  };
}
const REPLAYS_SEEN_MAX = 10_000;

const MASKED_FROM = 'whsec_'.length + 4;

/** Enough to see which one it is. */
const secretText = (secret: string, { showSecret = false }: Options): string =>
  showSecret ? secret : `${secret.slice(0, MASKED_FROM)}… (--show-secret prints all of it)`;

const CONNECT_TIMEOUT_MS = 2_000;

/** `localhost:3000` is a program on plain HTTP. User name and password become HTTP Basic. */
function targetOf(text: string): ForwardTarget {
  const url = /^[\w.-]+:\d+(?=\/|$)/.test(text) ? `http://${text}` : text;
  if (!/^https?:/i.test(url) || !URL.canParse(url))
    throw usageFault(`--forward ${text} is no HTTP URL, such as http://localhost:3000`);
  const shown = new URL(url);
  const credentials = [shown.username, shown.password].map((part) => unescape(part)).join(':');
  if (credentials === ':') return { url };
  shown.username = '';
  shown.password = '';
  return { url: shown.href, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** Where emails are posted, and whether a program listens there. */
async function describeTarget({ terminal }: Cli, forward: string): Promise<void> {
  const { hostname, port, protocol } = new URL(forward);
  const target = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
  };
  const socket = await openSocket(target, CONNECT_TIMEOUT_MS).catch(() => undefined);
  socket?.destroy();
  const note = socket ? '' : ', where nothing listens yet';
  terminal.complain(`forwarding to ${forward}${note}\n`);
}

/** A local program may have a certificate that the running npm start trusts. */
async function requestOfForward({ request, privateCa, running }: Connected): Promise<Fetch> {
  const files = running?.webhook_ca_file?.split(',') ?? []; // those of the user, too
  if (files.length === 0) return request;
  return createFetch([...privateCa, ...(await Promise.all(files.map(readCaFile)))]);
}

function responseLine(cli: Cli, { url, status, ms, body, error }: Forwarded): string {
  const isAccepted = status !== undefined && status >= 200 && status <= 299;
  const outcome = paintStatus(cli.paint())(isAccepted ? 'accepted' : 'failed');
  const text = error ?? body ?? '';
  if (ms === undefined) return `  → ${url} ${outcome}, not sent: ${text}\n`;
  const answer = [url, outcome, ...(status === undefined ? [] : [status])].join(' ');
  return `  → ${answer} in ${ms} ms${text && `: ${printable(text)}`}\n`;
}

function createAddress(
  { api, running }: Connected,
  { webhookUrl, pull }: Options,
): Promise<Address> {
  const webhook_url = pull ? null : (webhookUrl ?? running?.receiver_url ?? null);
  const mode = pull ? 'pull' : 'push';
  const body = { webhook_url, mode, description: 'inlet listen', ttl_hours: 24 } as const;
  return api.call('POST /addresses', { body });
}

/** Uses a new connection: Ctrl-C has ended the calls of the former one. */
async function deleteAddress(cli: Cli, connection: Connected, id: string): Promise<void> {
  const api = createApi(connection, cli.userAgent, AbortSignal.timeout(5_000));
  await api.call('DELETE /addresses/{address_id}', { params: { address_id: id } });
}
