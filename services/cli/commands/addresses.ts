/** `inlet addresses …`. */
import { Option } from 'commander';

import type { UpdateAddressRequest } from '../../core/api/api-types.generated.ts';
import {
  countIn,
  hoursIn,
  hoursOrAccount,
  labelsIn,
  type PageOptions,
  paged,
} from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { addPayloadOptions, type PayloadOptions, payloadOf } from '../payload-options.ts';
import { type ExpectOptions, expectOf, expectOptions, namesExpected } from '../expect-options.ts';
import { usageFault } from '../failure.ts';
import {
  allowedSendersOf,
  namesSenders,
  type SenderOptions,
  senderOptions,
} from '../sender-options.ts';
import { fields, table } from '../screen/text.ts';
import {
  addWebhookOptions,
  addWebhookRemovals,
  webhookOf,
  type WebhookOptions,
} from '../webhook-options.ts';
import {
  allowedAttachmentsOf,
  type LimitOptions,
  limitOptions,
  namesAttachments,
  perHourOf,
  spamLimitOf,
} from '../address-limits.ts';

type ContentOptions = {
  retentionHours?: number | 'account';
  redact?: string;
  refuseInfected?: 'yes' | 'no' | 'account';
  labels?: Record<string, string>;
} & ExpectOptions &
  LimitOptions &
  PayloadOptions &
  SenderOptions &
  WebhookOptions;
type CreateOptions = {
  webhookUrl?: string;
  localPart?: string;
  domain?: string;
  description?: string;
  ttlHours?: number;
  permanent?: boolean;
} & ContentOptions;
type UpdateOptions = {
  /** false with --no-webhook-url */
  webhookUrl?: string | false;
  /** false with --disable-webhook */
  enableWebhook?: boolean;
  disableWebhook?: boolean;
  description?: string;
  enable?: boolean;
  disable?: boolean;
  ttlHours?: number;
  permanent?: true;
} & ContentOptions;

const RETENTION_HOURS = [
  '--retention-hours <hours>',
  "hours after its delivery that an email is stored; account: the account's value",
  hoursOrAccount,
] as const;
const REDACT = [
  '--redact <fields>',
  "subject, from or subject,from: not in records; none; account: the account's value",
] as const;

const LABELS = [
  '--labels <list>',
  'key=value pairs, by which lists and tokens choose addresses, separated by commas; none',
  labelsIn,
] as const;

const REFUSE_INFECTED = new Option(
  '--refuse-infected <yes|no|account>',
  "whether to refuse email that contains malware; account: the account's value",
).choices(['yes', 'no', 'account']);

const contentFields = ({
  retentionHours,
  redact,
  replyAddresses,
  refuseInfected,
  labels,
  ...others
}: ContentOptions) => ({
  ...(labels !== undefined && { labels }),
  ...payloadOf(others),
  ...(replyAddresses !== undefined && {
    reply_addresses: replyAddresses !== 'off',
    reply_only: replyAddresses === 'only',
  }),
  ...perHourOf(others),
  ...spamLimitOf(others),
  ...(retentionHours !== undefined && {
    retention_hours: retentionHours === 'account' ? null : retentionHours,
  }),
  ...(redact !== undefined && { redact: redactOf(redact) }),
  ...(refuseInfected !== undefined && {
    refuse_infected: refuseInfected === 'account' ? null : refuseInfected === 'yes',
  }),
});

/** The API checks the names. */
function redactOf(text: string): UpdateAddressRequest['redact'] {
  if (text === 'account') return null;
  return text === 'none' ? [] : (text.split(',') as NonNullable<UpdateAddressRequest['redact']>);
}

const one = (address_id: string) => ({ params: { address_id } });

export function addAddressCommands(cli: Cli): void {
  const addresses = cli.program.command('addresses').description('addresses that receive email');

  paged(addresses.command('list'), 'addresses')
    .description('list the addresses, newest first')
    .option('--labels <list>', 'only addresses with all these labels, such as team=shop')
    .action(
      cli.printing(
        (call, query: PageOptions & { labels?: string }) => call('GET /addresses', { query }),
        ({ data }) =>
          table(data, [
            { title: 'ID', of: ({ id }) => id },
            { title: 'ADDRESS', of: ({ address }) => address },
            { title: 'EMAILS', of: ({ email_count }) => String(email_count) },
            { title: 'ENABLED', of: ({ is_enabled }) => (is_enabled ? 'yes' : 'no') },
            { title: 'WEBHOOK', of: ({ webhook_url }) => webhook_url ?? '-' },
          ]),
      ),
    );

  addWebhookOptions(
    addPayloadOptions(expectOptions(limitOptions(senderOptions(addresses.command('create'))))),
  )
    .description('create an address; the response contains its webhook secret')
    .option(
      '--webhook-url <url>',
      'HTTPS URL of the receiver; for a program on this machine, see inlet listen; without one, ' +
        'email is only stored and read',
    )
    .option('--local-part <name>', 'name before the @; default: a random one')
    .option('--domain <domain>', 'a verified domain; default: the shared one')
    .option('--description <text>', 'what the address is for')
    .option('--ttl-hours <hours>', 'hours until the address expires', countIn)
    .option('--permanent', 'the address does not expire')
    .option(...RETENTION_HOURS)
    .option(...REDACT)
    .option(...LABELS)
    .addOption(REFUSE_INFECTED)
    .action(
      cli.printing(async (call, options: CreateOptions) =>
        call('POST /addresses', {
          body: {
            webhook_url: options.webhookUrl ?? null,
            ...(await webhookOf(cli, options)),
            local_part: options.localPart,
            domain: options.domain,
            description: options.description,
            ttl_hours: options.ttlHours,
            is_permanent: options.permanent,
            ...contentFields(options),
            ...allowedSendersOf(options),
            ...expectOf(options),
            ...allowedAttachmentsOf(options),
          },
        }),
      ),
    );

  addresses
    .command('show <address>')
    .description('show an address and its webhook secret')
    .action(cli.printing((call, id: string) => call('GET /addresses/{address_id}', one(id))));

  addWebhookRemovals(
    addWebhookOptions(
      addPayloadOptions(
        expectOptions(limitOptions(senderOptions(addresses.command('update <address>')))),
      ),
    ),
  )
    .description('change an address')
    .option('--webhook-url <url>', 'HTTPS URL of the receiver')
    .option('--no-webhook-url', 'only store its email, and send no webhook')
    .option('--enable-webhook', 'send new email to the webhook URL')
    .option('--disable-webhook', 'send no new email to the webhook URL, but to further receivers')
    .option('--description <text>', 'what the address is for')
    .option('--enable', 'accept email')
    .option('--disable', 'refuse email')
    .option('--ttl-hours <hours>', 'hours from now until the address expires', countIn)
    .option('--permanent', 'the address does not expire')
    .option('--no-allowed-senders', 'accept email from everybody')
    .option(...RETENTION_HOURS)
    .option(...REDACT)
    .option(...LABELS)
    .addOption(REFUSE_INFECTED)
    .action(async (id: string, options: UpdateOptions) => {
      const change = { ...(await webhookOf(cli, options)), ...changeOf(options) };
      if (isEmpty(change, options)) throw usageFault('there is nothing to change');
      const { api } = await cli.connect();
      const keepsSome =
        namesSenders(options) || namesAttachments(options) || namesExpected(options);
      const now = keepsSome && (await api.call('GET /addresses/{address_id}', one(id)));
      const body = {
        ...change,
        ...(now && allowedSendersOf(options, now.allowed_senders)),
        ...(now && allowedAttachmentsOf(options, now.allowed_attachments)),
        ...(now && expectOf(options, now.expect)),
      };
      const { webhook_secret: _, ...changed } = await api.call('PATCH /addresses/{address_id}', {
        ...one(id),
        body,
      });
      cli.print(changed, fields); // `show` has the secret: a change must not leave it in a log
    });

  addresses
    .command('delete <address>')
    .description('delete an address; its email is refused from now on')
    .action(cli.printing((call, id: string) => call('DELETE /addresses/{address_id}', one(id))));

  addresses
    .command('rotate-secret <address>')
    .description('create a new webhook secret; the former one signs for a while, too')
    .action(
      cli.printing((call, id: string) =>
        call('POST /addresses/{address_id}/rotate-secret', one(id)),
      ),
    );

  addresses
    .command('reply-key <address>')
    .description('show the key that signs reply addresses; each view is an event')
    .action(
      cli.printing((call, id: string) => call('GET /addresses/{address_id}/reply-key', one(id))),
    );

  addresses
    .command('rotate-reply-key <address>')
    .description(
      'create a new key of reply addresses; those of the former one stay valid for a while',
    )
    .option('--overlap-hours <hours>', 'how long they do; default: 24', hoursIn)
    .action(
      cli.printing((call, id: string, options: { overlapHours?: number }) =>
        call('POST /addresses/{address_id}/rotate-reply-key', {
          ...one(id),
          body: { overlap_hours: options.overlapHours },
        }),
      ),
    );

  addresses
    .command('test <address>')
    .description('send a sample webhook to the receiver, and show what it responds')
    .action(cli.printing((call, id: string) => call('POST /addresses/{address_id}/test', one(id))));
}

function changeOf({
  webhookUrl,
  enableWebhook,
  disableWebhook,
  description,
  enable,
  disable,
  ttlHours,
  permanent,
  ...content
}: UpdateOptions): UpdateAddressRequest {
  if (enable && disable) throw usageFault('--enable and --disable exclude each other');
  if (enableWebhook && disableWebhook)
    throw usageFault('--enable-webhook and --disable-webhook exclude each other');
  return {
    ...(webhookUrl !== undefined && { webhook_url: webhookUrl === false ? null : webhookUrl }),
    ...((enableWebhook || disableWebhook) && { webhook_enabled: enableWebhook === true }),
    ...(description !== undefined && { description }),
    ...((enable || disable) && { is_enabled: enable === true }),
    ...(ttlHours !== undefined && { ttl_hours: ttlHours }),
    ...(permanent && { is_permanent: permanent }),
    ...contentFields(content),
  };
}

const isEmpty = (change: UpdateAddressRequest, options: ContentOptions): boolean =>
  Object.keys(change).length === 0 &&
  !namesSenders(options) &&
  !namesAttachments(options) &&
  !namesExpected(options);
