/** `inlet tail` shows every event of the account; `inlet wait` waits for one email. */
import { Option } from 'commander';

import type {
  AwaitedDelivery,
  LiveEvent,
  WebhookPayload,
} from '../../core/api/api-types.generated.ts';
import { pathOf } from '../../core/api/calls.ts';
import { addressIdOf } from '../api/address-names.ts';
import { type Api, success } from '../api/client.ts';
import { durationIn, listIn, timeIn } from '../terminal/arguments.ts';
import type { Cli } from '../api/cli.ts';
import { ExitCode, Failure, usageFault } from '../terminal/failure.ts';
import { liveEvents, liveNeeds, wantedAddress } from './events.ts';
import { CONTENT_IS_GONE, newPayload } from './forward.ts';
import { createRetry } from './retry.ts';
import { paintStatus } from '../terminal/delivery-status.ts';
import { printable } from '../terminal/text.ts';

type TailOptions = { address?: string; types?: string[]; since?: string };
type WaitOptions = {
  address: string;
  timeout: number;
  since?: string;
  code?: true;
  link?: true;
  linkText?: string;
  linkHost?: string;
};

const WAIT_MS = 60_000;
const CALL_MAX_SECONDS = 60;
/** For a response that is late, and for the payload of an email that has arrived. */
const CALL_GRACE_MS = 10_000;
const STATUS_OF: Record<string, string> = {
  'webhook.delivered': 'delivered',
  'webhook.failed': 'failed',
};

export function addTailCommand(cli: Cli): void {
  cli.program
    .command('tail')
    .description('show emails, attempts, and changes of addresses and tokens as they happen')
    .option('--address <address>', 'only events of this address: its name, or its id (addr_…)')
    .option('--types <list>', 'only these events: email.received,webhook.failed', listIn)
    .option('--since <time>', 'begin with events since a time, or a duration ago: 1h', timeIn)
    .action(async ({ address, types, since }: TailOptions) => {
      const needs = liveNeeds(cli, await cli.connect());
      const { write } = cli.terminal;
      const addressId = await wantedAddress(needs, address);
      const events = liveEvents(needs, { addressId, types, since });
      for await (const event of events)
        if (cli.wantsJson()) cli.printJson(`${JSON.stringify(event)}\n`);
        else write(eventLine(cli, event));
    });
}

export function addWaitCommand(cli: Cli): void {
  cli.program
    .command('wait')
    .description('wait for the next email of an address, and print it')
    .requiredOption('--address <address>', 'address that receives the email: its name, or its id')
    .addOption(
      new Option('--timeout <duration>', 'how long to wait')
        .argParser(durationIn)
        .default(WAIT_MS, '60s'),
    )
    .option('--since <time>', 'accept emails since a time, or a duration ago: 10s', timeIn)
    .option('--code', 'wait for an email with a code, and print only its best code')
    .option('--link', 'wait for an email with a link, and print only the one that confirms')
    .option('--link-text <text>', 'wait for an email with a link of this text, and print only that')
    .option('--link-host <host>', 'the same for a host of links, or a domain above it')
    .addHelpText(
      'after',
      '\nWith --json it prints the payload of the webhook. When no email arrives, it exits with 5.\n' +
        'It calls again after an outage of the API, until the timeout.\n' +
        'For --code and --link, the address must extract codes or links: inlet addresses update\n' +
        'ID --extract codes,links. Links that unsubscribe do not count.\n' +
        '\nExample: inlet wait --address addr_… --code',
    )
    .action(async (options: WaitOptions) => {
      const link = options.link ?? (options.linkText ?? options.linkHost) !== undefined;
      if (options.code && link) throw usageFault('--code and --link exclude each other');
      const { api } = await cli.connect();
      const delivery = await nextEmail(cli, api, options);
      if (options.code || link)
        return cli.terminal.write(`${printable(delivery.code ?? delivery.link ?? '')}\n`);
      const calls = { api, retrying: createRetry(cli.terminal, Date.now() + CALL_GRACE_MS) };
      const payload = await newPayload(calls, delivery.event_id);
      if (payload === undefined) cli.terminal.complain(`${CONTENT_IS_GONE}\n`);
      if (cli.wantsJson()) return cli.printJson(`${String(payload ?? JSON.stringify(delivery))}\n`);
      cli.terminal.write(payload ? emailText(payload) : headerLines(delivery));
    });
}

/** @throws Failure when none arrives in time, or the API cannot be called until then */
async function nextEmail(
  cli: Cli,
  api: Api,
  { address, timeout: timeoutMs, since: wantedSince, code, link, linkText, linkHost }: WaitOptions,
): Promise<AwaitedDelivery> {
  const startedMs = Date.now();
  const deadlineMs = startedMs + timeoutMs;
  let since = wantedSince; // a later call must not miss an email that arrives in between
  const retrying = createRetry(cli.terminal, deadlineMs);
  const address_id = await retrying(() => addressIdOf(api.call, address));
  const wait = async (): Promise<AwaitedDelivery | undefined> => {
    const seconds = Math.ceil((deadlineMs - Date.now()) / 1_000);
    const timeout = Math.min(Math.max(seconds, 1), CALL_MAX_SECONDS);
    const path = pathOf(
      '/deliveries/wait',
      {},
      {
        address_id,
        timeout,
        since,
        code,
        link,
        link_text: linkText,
        link_host: linkHost,
      },
    );
    const signal = AbortSignal.timeout(timeout * 1_000 + CALL_GRACE_MS);
    const response = await api.send('GET', path, undefined, signal).catch(lost);
    since ??= new Date(response.headers.get('date') ?? startedMs).toISOString();
    await success(response);
    return response.status === 204 ? undefined : ((await response.json()) as AwaitedDelivery);
  };
  const lost = (error: unknown): never => {
    since ??= new Date(startedMs).toISOString();
    throw error;
  };
  while (Date.now() < deadlineMs) {
    const delivery = await retrying(wait);
    if (delivery !== undefined) return delivery;
  }
  throw new Failure('no email arrived in time', ExitCode.timeout);
}

function eventLine(cli: Cli, { type, at, delivery, attempt, ...ids }: LiveEvent): string {
  const { dim } = cli.paint();
  const about = delivery
    ? `${delivery.event_id}  ${printable(delivery.from ?? delivery.mail_from ?? '-')}: ` +
      printable(delivery.subject ?? '-')
    : (ids.address_id ?? ids.token_id ?? '');
  const result = attempt
    ? `  attempt ${attempt.number}: ${attempt.outcome} ${attempt.status_code ?? attempt.error ?? ''}`
    : '';
  const name = type.padEnd(17);
  const status = STATUS_OF[type];
  const painted = status === undefined ? name : paintFor(cli, status)(name);
  return `${dim(at)}  ${painted}  ${about}${printable(result)}\n`;
}

const paintFor = (cli: Cli, status: string) => (text: string) =>
  paintStatus(cli.paint())(status).replace(status, () => text);

function emailText(payload: Buffer): string {
  const { headers, content, attachments } = JSON.parse(payload.toString()) as WebhookPayload;
  const files = attachments.map(
    ({ filename, size_bytes }) => `file:    ${printable(filename)}, ${size_bytes} bytes\n`,
  );
  const body = (content.text ?? content.html ?? '').split(/\r?\n/).map(printable).join('\n');
  return `${headerLines(headers)}${files.join('')}\n${body.trimEnd()}\n`;
}

const headerLines = ({ from, subject }: { from: string | null; subject: string | null }): string =>
  `from:    ${printable(from ?? '-')}\nsubject: ${printable(subject ?? '-')}\n`;
