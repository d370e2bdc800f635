/** `inlet tail` shows every event of the account; `inlet wait` waits for one email. */
import { InvalidArgumentError } from 'commander';

import { refusal, type Schemas } from '../api/client.ts';
import { durationIn, timeIn } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { ExitCode, Failure } from '../failure.ts';
import { type LiveEvent, liveEvents, liveNeeds } from '../live/events.ts';
import { newPayload } from '../live/forward.ts';
import { paintStatus } from '../screen/delivery-status.ts';
import { printable } from '../screen/text.ts';

type TailOptions = { address?: string; types?: string[]; since?: string };
type WaitOptions = { address: string; timeout: number; since?: string };

const WAIT_MS = 60_000;
const CALL_MAX_SECONDS = 60;
const STATUS_OF: Record<string, string> = {
  'webhook.delivered': 'delivered',
  'webhook.failed': 'failed',
};

export function addTailCommand(cli: Cli): void {
  cli.program
    .command('tail')
    .description('show emails, attempts, and changes of addresses and tokens as they happen')
    .option('--address <address-id>', 'only events of this address')
    .option('--types <list>', 'only these events: email.received,webhook.failed', listIn)
    .option('--since <time>', 'begin with events since a time, or a duration ago: 1h', timeIn)
    .action(async ({ address: addressId, types, since }: TailOptions) => {
      const connection = await cli.connect();
      const { write } = cli.terminal;
      const events = liveEvents(liveNeeds(cli, connection), { addressId, types, since });
      for await (const event of events)
        write(cli.wantsJson() ? `${JSON.stringify(event)}\n` : eventLine(cli, event));
    });
}

export function addWaitCommand(cli: Cli): void {
  cli.program
    .command('wait')
    .description('wait for the next email of an address, and print it')
    .requiredOption('--address <address-id>', 'address that receives the email')
    .option('--timeout <duration>', 'how long to wait: 60s', durationIn, WAIT_MS)
    .option('--since <time>', 'accept emails since a time, or a duration ago: 10s', timeIn)
    .addHelpText(
      'after',
      '\nWith --json it prints the payload of the webhook. When no email arrives, it exits with 5.\n' +
        "\nExample: inlet wait --address addr_… --json | jq -r .content.text | grep -oE '[0-9]{6}'",
    )
    .action(async (options: WaitOptions) => {
      const { api, apiUrl, token } = await cli.connect();
      const deadlineMs = Date.now() + options.timeout;
      for (let since = options.since; ;) {
        const seconds = Math.ceil((deadlineMs - Date.now()) / 1_000);
        if (seconds < 1) throw new Failure('no email arrived in time', ExitCode.timeout);
        const timeout = Math.min(seconds, CALL_MAX_SECONDS);
        const query = new URLSearchParams({
          address_id: options.address,
          timeout: String(timeout),
          ...(since && { since }),
        });
        const response = await fetch(`${apiUrl}/deliveries/wait?${query.toString()}`, {
          headers: { authorization: `Bearer ${token}`, 'user-agent': cli.userAgent },
          signal: cli.terminal.stopped,
        });
        if (response.status === 204) {
          // the next call must not miss an email that arrives between the two
          since ??= new Date(response.headers.get('date') ?? Date.now()).toISOString();
          continue;
        }
        const body: unknown = await response.json();
        if (!response.ok) throw refusal(response, body);
        const payload = await newPayload(api, (body as Schemas['Delivery']).event_id);
        return cli.terminal.write(cli.wantsJson() ? `${payload.toString()}\n` : emailText(payload));
      }
    });
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
  const { headers, content, attachments } = JSON.parse(
    payload.toString(),
  ) as Schemas['WebhookPayload'];
  const lines = [
    `from:    ${headers.from ?? '-'}`,
    `subject: ${headers.subject ?? '-'}`,
    ...attachments.map(({ filename, size_bytes }) => `file:    ${filename}, ${size_bytes} bytes`),
  ];
  const body = (content.text ?? content.html ?? '').split(/\r?\n/).map(printable).join('\n');
  return `${lines.map(printable).join('\n')}\n\n${body.trimEnd()}\n`;
}

function listIn(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new InvalidArgumentError('It must be a comma-separated list.');
  return names;
}
