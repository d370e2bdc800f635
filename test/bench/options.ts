/** The command line of `npm run bench`. */
import { z } from 'zod';

import { optionLines, readOptions } from '../support/command-options.ts';
import { MAIL_KINDS } from './mails.ts';

export const SYSTEM_NAMES = ['inlet', 'other', 'peer', 'script', 'floor'] as const;
export type SystemName = (typeof SYSTEM_NAMES)[number];

const List = z.string().transform((text) => text.split(',').map((one) => one.trim()));
const count = z.coerce.number().int().min(1);

const Counts = List.pipe(
  z
    .array(
      z
        .string()
        .regex(/^[1-9]\d*$/, 'must be numbers')
        .transform(Number),
    )
    .min(1),
);

const SETTINGS = {
  scenario: z.string().default('throughput').describe('scenarios to run, separated by commas'),
  sizes: List.pipe(z.array(z.enum(MAIL_KINDS)).min(1))
    .prefault(MAIL_KINDS.join(','))
    .describe('sizes of emails to send'),
  connections: Counts.prefault('1,10,50').describe(
    'numbers of SMTP connections; each is a closed loop',
  ),
  only: List.pipe(z.array(z.enum(SYSTEM_NAMES)).min(1))
    .prefault(SYSTEM_NAMES.join(','))
    .describe(
      'systems to measure: Inlet, the checkout of --other, the program of --peer, a forty-line script, ' +
        'and a durable pipeline without features (floor)',
    ),
  mails: count.default(4000).describe('most emails in a run'),
  seconds: z.coerce.number().min(0.1).default(1).describe('most seconds of sending in a run'),
  repeat: count.default(5).describe('runs per system, which alternate; results are medians'),
  addresses: count.default(20).describe('addresses of one account that receive the emails'),
  rate: count.default(200).describe('steady, isolation: emails per second'),
  'paced-mails': count
    .default(3_000)
    .describe('isolation: emails, half of them to a receiver that hangs (full test: 10000)'),
  'large-mails': count
    .default(4)
    .describe('large-mail: simultaneous emails of 25 MiB (10 for the full test)'),
  gateways: count.default(2).describe('cluster: gateways'),
  dispatchers: count.default(2).describe('cluster: dispatchers'),
  partitions: count.max(64).default(4).describe('cluster: partitions'),
  'api-addresses': count.default(100_000).describe('api: addresses of the account'),
  deliveries: Counts.prefault('1000000').describe(
    'api: deliveries of the account, all in the current billing period; with several numbers, ' +
      'such as 1000000,10000000, the calls are measured at each',
  ),
  'api-retrying': count.default(1_000).describe('api: deliveries that wait for a retry'),
  'api-calls': z
    .string()
    .default('')
    .describe('api: measures only the calls whose names contain this; default: all'),
  'directory-addresses': count
    .default(1_000_000)
    .describe('directory: addresses of the account at the end'),
  peer: z
    .string()
    .optional()
    .describe(
      'command of another program, measured for comparison: it takes email on $PEER_PORT, posts it ' +
        'to $WEBHOOK_URL, trusts $SSL_CERT_FILE, and may write to $PEER_DIR (docs/sizing.md)',
    ),
  'script-client': z
    .enum(['undici', 'fetch'])
    .default('undici')
    .describe(
      "how the script sends requests: undici's request, or fetch, which costs more CPU time",
    ),
  other: z.string().optional().describe('another checkout of Inlet, measured for comparison'),
  profile: z.string().optional().describe('folder for CPU profiles of all Node processes'),
  json: z.string().optional().describe('file for the results'),
  dir: z
    .string()
    .optional()
    .describe('folder on a real disk for the data, removed afterwards; default .inlet/bench-<pid>'),
};
export type Options = Readonly<z.output<z.ZodObject<typeof SETTINGS>>>;

/** Undefined for --help. @throws an error with one sentence per problem */
export const readBenchOptions = (args: readonly string[]): Options | undefined =>
  readOptions(SETTINGS, args);

export function helpText(scenarios: readonly { name: string; purpose: string }[]): string {
  return [
    'npm run bench -- [options]\n',
    'Measures Inlet on this machine and compares it with two yardsticks.\n',
    'Scenarios:',
    ...scenarios.map(({ name, purpose }) => `  ${name.padEnd(18)} ${purpose}`),
    '\nOptions:',
    ...optionLines(SETTINGS),
    '\nSettings of the services (docs/settings.md) are read from the environment.\n',
  ].join('\n');
}
