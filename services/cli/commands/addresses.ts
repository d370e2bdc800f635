/** `inlet addresses …`. */
import type { UpdateAddressRequest } from '../../core/api/api-types.generated.ts';
import { countIn, hoursOrAccount } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { usageFault } from '../failure.ts';
import { fields, table } from '../screen/text.ts';

type ContentOptions = { retentionHours?: number | 'account'; redact?: string };
type CreateOptions = {
  webhookUrl: string;
  localPart?: string;
  domain?: string;
  description?: string;
  ttlHours?: number;
  permanent?: boolean;
} & ContentOptions;
type UpdateOptions = {
  webhookUrl?: string;
  description?: string;
  enable?: boolean;
  disable?: boolean;
} & ContentOptions;

const ADDRESS_ID = '<address-id>';

const RETENTION_HOURS = [
  '--retention-hours <hours>',
  "hours after its delivery that an email is stored; account: the account's value",
  hoursOrAccount,
] as const;
const REDACT = [
  '--redact <fields>',
  "subject, from or subject,from: not in records; none; account: the account's value",
] as const;

const contentFields = ({ retentionHours, redact }: ContentOptions) => ({
  ...(retentionHours !== undefined && {
    retention_hours: retentionHours === 'account' ? null : retentionHours,
  }),
  ...(redact !== undefined && { redact: redactOf(redact) }),
});

/** The API checks the names. */
function redactOf(text: string): UpdateAddressRequest['redact'] {
  if (text === 'account') return null;
  return text === 'none' ? [] : (text.split(',') as NonNullable<UpdateAddressRequest['redact']>);
}

const paramsOf = (address_id: string) => ({ params: { address_id } });

export function addAddressCommands(cli: Cli): void {
  const addresses = cli.program
    .command('addresses')
    .description('addresses that receive email for a webhook');

  addresses
    .command('list')
    .description('list the addresses, newest first')
    .option('--limit <number>', 'at most this number of addresses', countIn, 20)
    .option('--offset <number>', 'skip this number of addresses', countIn)
    .action(async (query: { limit: number; offset?: number }) => {
      const { api } = await cli.connect();
      cli.print(await api.call('GET /addresses', { query }), ({ data }) =>
        table(data, [
          { title: 'ID', of: ({ id }) => id },
          { title: 'ADDRESS', of: ({ address }) => address },
          { title: 'EMAILS', of: ({ email_count }) => String(email_count) },
          { title: 'ENABLED', of: ({ is_enabled }) => (is_enabled ? 'yes' : 'no') },
          { title: 'WEBHOOK', of: ({ webhook_url }) => webhook_url },
        ]),
      );
    });

  addresses
    .command('create')
    .description('create an address; the response contains its webhook secret')
    .requiredOption('--webhook-url <url>', 'HTTPS URL of the receiver')
    .option('--local-part <name>', 'name before the @; default: a random one')
    .option('--domain <domain>', 'a verified domain; default: the shared one')
    .option('--description <text>', 'what the address is for')
    .option('--ttl-hours <hours>', 'hours until the address expires', countIn)
    .option('--permanent', 'the address does not expire')
    .option(...RETENTION_HOURS)
    .option(...REDACT)
    .action(async (options: CreateOptions) => {
      const { api } = await cli.connect();
      const body = {
        webhook_url: options.webhookUrl,
        ...(options.localPart !== undefined && { local_part: options.localPart }),
        ...(options.domain !== undefined && { domain: options.domain }),
        ...(options.description !== undefined && { description: options.description }),
        ...(options.ttlHours !== undefined && { ttl_hours: options.ttlHours }),
        ...(options.permanent && { is_permanent: true }),
        ...contentFields(options),
      };
      cli.print(await api.call('POST /addresses', { body }), fields);
    });

  addresses
    .command('show')
    .description('show an address and its webhook secret')
    .argument(ADDRESS_ID)
    .action(async (id: string) => {
      const { api } = await cli.connect();
      cli.print(await api.call('GET /addresses/{address_id}', paramsOf(id)), fields);
    });

  addresses
    .command('update')
    .description('change an address')
    .argument(ADDRESS_ID)
    .option('--webhook-url <url>', 'HTTPS URL of the receiver')
    .option('--description <text>', 'what the address is for')
    .option('--enable', 'accept email')
    .option('--disable', 'refuse email')
    .option(...RETENTION_HOURS)
    .option(...REDACT)
    .action(async (id: string, options: UpdateOptions) => {
      const body = changeOf(options);
      const { api } = await cli.connect();
      cli.print(await api.call('PATCH /addresses/{address_id}', { ...paramsOf(id), body }), fields);
    });

  addresses
    .command('delete')
    .description('delete an address; its email is refused from now on')
    .argument(ADDRESS_ID)
    .action(async (id: string) => {
      const { api } = await cli.connect();
      cli.print(await api.call('DELETE /addresses/{address_id}', paramsOf(id)), fields);
    });

  addresses
    .command('rotate-secret')
    .description('create a new webhook secret; the former one signs for a while, too')
    .argument(ADDRESS_ID)
    .action(async (id: string) => {
      const { api } = await cli.connect();
      const rotated = await api.call('POST /addresses/{address_id}/rotate-secret', paramsOf(id));
      cli.print(rotated, fields);
    });

  addresses
    .command('test')
    .description('send a sample webhook to the receiver, and show what it responds')
    .argument(ADDRESS_ID)
    .action(async (id: string) => {
      const { api } = await cli.connect();
      cli.print(await api.call('POST /addresses/{address_id}/test', paramsOf(id)), fields);
    });
}

function changeOf({
  webhookUrl,
  description,
  enable,
  disable,
  ...content
}: UpdateOptions): UpdateAddressRequest {
  if (enable && disable) throw usageFault('--enable and --disable exclude each other');
  const change: UpdateAddressRequest = {
    ...(webhookUrl !== undefined && { webhook_url: webhookUrl }),
    ...(description !== undefined && { description }),
    ...((enable || disable) && { is_enabled: enable === true }),
    ...contentFields(content),
  };
  if (Object.keys(change).length === 0) throw usageFault('there is nothing to change');
  return change;
}
