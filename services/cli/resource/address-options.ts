/**
 * The options of `inlet addresses create` and `update`: one for each field of the bodies. The table
 * does not compile when one is missing; null for a field that has options in a file of its own.
 */
import type {
  CreateAddressRequest,
  UpdateAddressRequest,
} from '../../core/api/api-types.generated.ts';
import { countIn, hoursIn, labelsIn, scoreIn } from '../terminal/arguments.ts';
import type { OptionsOf } from './options.ts';
import { WEBHOOK_OPTIONS } from './webhook-options.ts';

const OF_ACCOUNT = 'account';
const INFECTED = { yes: true, no: false, [OF_ACCOUNT]: null };

export const ADDRESS_OPTIONS = {
  // the most needed one first, as help shows them
  webhook_url: {
    flags: '--webhook-url <url>',
    about:
      'HTTPS URL of the receiver; for a program on this machine, see inlet listen; an address ' +
      'without one only stores its email',
    no: { flags: '--no-webhook-url', about: 'only store its email, and send no webhook' },
  },
  local_part: {
    in: 'create',
    flags: '--local-part <name>',
    about: 'name before the @; default: a random one',
  },
  domain: {
    in: 'create',
    flags: '--domain <domain>',
    about: 'a verified domain; default: the shared one',
  },
  description: { flags: '--description <text>', about: 'what the address is for' },
  is_enabled: { in: 'update', enable: 'accept email', disable: 'refuse email' },
  ttl_hours: {
    flags: '--ttl-hours <hours>',
    about: 'hours from now until the address expires',
    parse: countIn,
  },
  is_permanent: { flags: '--permanent', about: 'the address does not expire' },
  spam_refuse_above: {
    flags: '--spam-refuse-above <score>',
    about: 'refuse email with a spam score above this; none: no limit',
    parse: scoreIn,
    none: 'none',
  },
  max_per_hour: {
    flags: '--max-per-hour <count>',
    about: 'emails that it accepts in an hour; none: no limit',
    parse: countIn,
    none: 'none',
  },
  refuse_infected: {
    flags: '--refuse-infected <yes|no|account>',
    about: "whether to refuse email that contains malware; account: the account's value",
    choices: Object.keys(INFECTED),
    read: (_, text) => INFECTED[text as keyof typeof INFECTED],
  },
  labels: {
    flags: '--labels <list>',
    about: 'key=value pairs, by which lists and tokens choose addresses, separated by commas; none',
    parse: labelsIn,
  },
  retention_hours: {
    flags: '--retention-hours <hours>',
    about: "hours after its delivery that an email is stored; account: the account's value",
    parse: hoursIn,
    none: OF_ACCOUNT,
  },
  redact: {
    flags: '--redact <fields>',
    about: "subject, from or subject,from: not in records; none; account: the account's value",
    parse: (text) => (text === 'none' ? [] : text.split(',')), // the API checks the names
    none: OF_ACCOUNT,
  },
  webhook_enabled: {
    in: 'update',
    enable: 'send new email to the webhook URL',
    disable: 'send no new email to the webhook URL, but to further receivers',
    what: 'webhook',
  },
  ...WEBHOOK_OPTIONS,
  // sender-options.ts, attachment-options.ts, expect-options.ts
  allowed_senders: null,
  reply_addresses: null,
  reply_only: null,
  allowed_attachments: null,
  expect: null,
  // `inlet rules` and `inlet hooks`
  rules: null,
  hook: null,
} satisfies OptionsOf<CreateAddressRequest & UpdateAddressRequest>;
