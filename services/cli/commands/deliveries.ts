/** `inlet deliveries …`: emails and what their receivers responded. */
import { type Command, Option } from 'commander';

import type {
  Delivery,
  DeliveryListItem,
  ReplayDeliveriesRequest,
  ReplayDeliveriesResponse,
} from '../../core/api/api-types.generated.ts';
import type { Api } from '../api/client.ts';
import { readPayload } from '../api/payload.ts';
import { agreed, withYes } from '../terminal/agreement.ts';
import { searching, timeIn } from '../terminal/arguments.ts';
import type { Cli } from '../api/cli.ts';
import { addResource } from '../resource/resource.ts';
import { usageFault } from '../terminal/failure.ts';
import { paintStatus } from '../terminal/delivery-status.ts';
import { type Column, fields, printable, table } from '../terminal/text.ts';

type Status = DeliveryListItem['status'] | 'waiting';
type Attempt = Delivery['attempts'][number];
type Filters = {
  address?: string;
  receiver?: string;
  status?: Status;
  since?: string;
  until?: string;
  sender?: string;
  recipient?: string;
  subject?: string;
  text?: string;
  verdict?: string;
  tag?: string;
  has?: 'attachment';
  thread?: string;
};

const REPLAYABLE = ['retrying', 'delivered', 'failed', 'held', 'dropped'];
const STATUSES = ['pending', ...REPLAYABLE, 'waiting'];
const SUBJECT_COLUMNS = 40;

const filterOf = ({ address, receiver, status, since, until, ...search }: Filters) => ({
  ...search,
  address_id: address,
  receiver_id: receiver,
  status,
  start_date: since,
  end_date: until,
});

/** Adds the options of {@link Filters}. */
const withFilters = (command: Command, statuses: readonly string[]): Command =>
  searching(
    command
      .option('--address <address>', 'only those of this address, to all its receivers')
      .option('--receiver <id>', 'only those to this receiver: rcv_…, or the id of an address')
      .addOption(new Option('--status <status>', 'only those with this status').choices(statuses)),
  )
    .option('--text <words>', 'only those with all these words in the subject or the text')
    .option('--verdict <list>', 'only those with these problems: spam, spf=fail, dmarc=fail, …')
    .option('--tag <tag>', 'only those with this tag, which a rule added')
    .addOption(
      new Option('--has <what>', 'only those that have it: attachment').choices(['attachment']),
    )
    .option('--thread <thread-id>', 'only those of this conversation: thr_…')
    .option('--since <time>', 'only those received since a time, or a duration ago: 1h', timeIn)
    .option('--until <time>', 'only those received before a time', timeIn);

const one = (event_id: string) => ({ params: { event_id } });

/** `hold by agents: hidden text`. */
const rulingText = (ruling: Delivery['ruling']): string | null => {
  if (ruling?.action == null) return null;
  const matched = ruling.rules.filter(
    ({ result, action }) => result === 'matched' && action === ruling.action,
  );
  const by = matched.length === 0 ? ruling.reason : matched.map(({ name }) => name).join(', ');
  return `${ruling.action} by ${by}`;
};

const changedText = ({ attempts: _attempts, ruling: _ruling, ...delivery }: Delivery) =>
  fields(delivery);

export function addDeliveryCommands(cli: Cli): void {
  const deliveries = addResource(cli, {
    path: '/deliveries',
    name: 'deliveries',
    about: 'emails that were accepted, and their webhooks',
    one: 'event',
    options: {},
    list: {
      about: 'list deliveries, newest first',
      isPaged: true,
      filters: {
        options: (command) => withFilters(command, STATUSES),
        value: filterOf,
      },
      columns: deliveryColumns(cli),
    },
    show: {
      about: 'show a delivery and its attempts',
      more: {
        options: (command) =>
          command.option('--headers', 'also the headers of the last attempts, both ways'),
        value: ({ headers }: { headers?: true }) => (headers ? { include: 'headers' } : {}),
      },
      text: ({ attempts, ruling, ...delivery }: Delivery) => {
        const first = delivery.attempt_count - attempts.length + 1;
        return `${fields({ ...delivery, ruling: rulingText(ruling) })}\n${table(
          attempts.map((attempt, i) => ({ ...attempt, number: first + i })),
          attemptColumns(cli),
        )}${attempts.map(exchangeText).join('')}`;
      },
    },
    actions: {
      retry: 'make the next attempt of a delivery that waits due now',
      cancel: 'end a delivery that waits for its next attempt',
      release: 'deliver an email that rules held or dropped, to all its receivers',
      drop: 'drop an email that rules hold',
    },
    changed: changedText,
  });

  deliveries
    .command('payload <event-id>')
    .description('print the JSON that the receiver gets, byte for byte')
    .action(async (id: string) => {
      const { api } = await cli.connect();
      cli.printJson((await readPayload(api, id)).toString());
    });

  withYes(deliveries.command('erase <event-id>'))
    .description('erase an email everywhere; a delivery that waits is canceled first')
    .action(
      cli.printing(async (call, id: string, options: object) => {
        await agreed(cli.terminal, options, `erase ${id} for good, for all receivers?`);
        return call('DELETE /deliveries/{event_id}/content', one(id));
      }, changedText),
    );

  withFilters(deliveries.command('replay [event-id]'), REPLAYABLE)
    .description('deliver an email again, or all that match filters; failed ones without --status')
    .action(async (id: string | undefined, options: Filters) => {
      const hasFilter = Object.keys(options).length > 0;
      if ((id === undefined) !== hasFilter)
        throw usageFault('give an event id, or a filter such as --status failed');
      const { api } = await cli.connect();
      if (id !== undefined)
        return cli.print(
          await api.call('POST /deliveries/{event_id}/replay', one(id)),
          changedText,
        );
      cli.print(await replayAll(api, options), replayedText);
    });
}

/** What was sent and received: the headers if they were asked for, and the beginning of the body. */
function exchangeText(attempt: Attempt, index: number): string {
  const { request_headers: sent, response_headers: received } = attempt;
  return (
    headersText(`headers of attempt ${index + 1}`, sent) +
    headersText(`headers of the response to attempt ${index + 1}`, received) +
    responseText(attempt, index)
  );
}

const headersText = (title: string, headers: Attempt['request_headers']): string =>
  headers && headers.length > 0
    ? `\n${title}:\n${headers.map(({ name, value }) => `  ${printable(name)}: ${printable(value)}\n`).join('')}`
    : '';

/** The begin of what the receiver responded, which says why it did not accept the email. */
function responseText({ excerpt }: Attempt, index: number): string {
  if (excerpt === null || excerpt === '') return '';
  const lines = excerpt.split(/\r?\n/).map((line) => `  ${printable(line)}\n`);
  return `\nresponse to attempt ${index + 1}:\n${lines.join('')}`;
}

/** Each request replays a limited number, and returns where to continue. */
async function replayAll(api: Api, options: Filters): Promise<ReplayDeliveriesResponse> {
  const filter = filterOf(options) as ReplayDeliveriesRequest;
  const skipped = { no_longer_kept: 0, under_way: 0 };
  let queued = 0;
  for (let cursor: string | null | undefined; ;) {
    const body: ReplayDeliveriesRequest = { ...filter, ...(cursor && { cursor }) };
    const part = await api.call('POST /deliveries/replay', { body });
    queued += part.queued;
    skipped.no_longer_kept += part.skipped.no_longer_kept;
    skipped.under_way += part.skipped.under_way;
    cursor = part.next_cursor;
    if (!cursor) return { queued, skipped, next_cursor: null };
  }
}

function replayedText({ queued, skipped }: ReplayDeliveriesResponse): string {
  const { no_longer_kept: gone, under_way: underWay } = skipped;
  return [
    `${queued} ${queued === 1 ? 'delivery' : 'deliveries'} queued\n`,
    ...(gone > 0 ? [`note: ${gone} no longer stored\n`] : []),
    ...(underWay > 0 ? [`note: ${underWay} in progress already\n`] : []),
  ].join('');
}

const deliveryColumns = (cli: Cli): Column<DeliveryListItem>[] => [
  { title: 'RECEIVED', of: ({ received_at }) => received_at, paint: cli.paint().dim },
  { title: 'EVENT', of: ({ event_id }) => event_id },
  { title: 'STATUS', of: ({ status }) => status, paint: paintStatus(cli.paint()) },
  { title: 'FROM', of: ({ from, mail_from }) => from ?? (mail_from || '-'), most: SUBJECT_COLUMNS },
  { title: 'TO', of: ({ recipient }) => recipient ?? '-', most: SUBJECT_COLUMNS },
  { title: 'RECEIVER', of: receiverIn },
  { title: 'SUBJECT', of: ({ subject }) => subject ?? '-', most: SUBJECT_COLUMNS },
];

/** An email to several receivers is a delivery to each: the first is that of the address itself. */
function receiverIn({ address_id, receiver_id }: DeliveryListItem): string {
  return receiver_id === undefined || receiver_id === address_id ? 'first' : receiver_id;
}

const attemptColumns = (cli: Cli): Column<Attempt & { number: number }>[] => [
  { title: 'ATTEMPT', of: ({ number }) => String(number) },
  { title: 'AT', of: ({ time }) => time, paint: cli.paint().dim },
  { title: 'OUTCOME', of: ({ outcome }) => outcome, paint: paintStatus(cli.paint()) },
  { title: 'STATUS', of: ({ status_code }) => String(status_code ?? '-') },
  { title: 'MS', of: ({ latency_ms }) => String(latency_ms) },
  { title: 'ERROR', of: ({ error, location }) => error ?? (location ? `to ${location}` : '-') },
];
