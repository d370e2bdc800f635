/** The command line of `npm run bench`. */
import { parseArgs } from 'node:util';

import { z } from 'zod';

import { MAIL_KINDS } from './mails.ts';

export const SYSTEM_NAMES = ['inlet', 'other', 'script', 'floor', 'parse'] as const;
export type SystemName = (typeof SYSTEM_NAMES)[number];

const List = z.string().transform((text) => text.split(',').map((one) => one.trim()));
const count = z.coerce.number().int().min(1);

const SETTINGS = {
  scenario: z.string().default('throughput').describe('scenarios to run, separated by commas'),
  sizes: List.pipe(z.array(z.enum(MAIL_KINDS)).min(1))
    .prefault(MAIL_KINDS.join(','))
    .describe('mails to send'),
  connections: List.pipe(
    z
      .array(
        z
          .string()
          .regex(/^[1-9]\d*$/, 'must be numbers')
          .transform(Number),
      )
      .min(1),
  )
    .prefault('1,10,50')
    .describe('SMTP connections, each a closed loop'),
  only: List.pipe(z.array(z.enum(SYSTEM_NAMES)).min(1))
    .prefault(SYSTEM_NAMES.join(','))
    .describe(
      'systems: the product, the one of --other, the forty-line script, a durable pipeline without features (floor), smtp-server with simpleParser',
    ),
  mails: count.default(4000).describe('mails of one run, at most'),
  seconds: z.coerce.number().min(0.1).default(1).describe('seconds of sending in one run, at most'),
  repeat: count.default(5).describe('runs of each; the systems take turns; medians are shown'),
  addresses: count.default(20).describe('addresses of one account that the mails are spread over'),
  rate: count.default(200).describe('isolation: mails a second'),
  'paced-mails': count
    .default(3_000)
    .describe(
      'isolation: mails in all, half of them to a receiver that hangs (10000 for the whole proof)',
    ),
  sleeping: count
    .default(10_000)
    .describe('sleeping-retries: mails asleep in the retry lane (200000 for the whole proof)'),
  'large-mails': count
    .default(4)
    .describe('large-mail: mails of 25 MiB at once (10 for the whole proof)'),
  'idle-connections': count.default(1_000).describe('idle-connections: SMTP connections held open'),
  'api-addresses': count.default(100_000).describe('api: addresses of the account'),
  'api-deliveries': count
    .default(1_000_000)
    .describe('api: deliveries of the account, all in the current billing period'),
  'api-retrying': count.default(1_000).describe('api: deliveries of these that wait for a retry'),
  resources: count
    .default(1_000)
    .describe('operator: InboundAddresses, on the Kubernetes cluster of the current context'),
  'script-client': z
    .enum(['undici', 'fetch'])
    .default('undici')
    .describe(
      "what the script posts with: undici's request, or fetch, which costs more and drops connections after larger bodies",
    ),
  verify: z.boolean().default(false).describe("the receiver checks Inlet's signatures"),
  other: z
    .string()
    .optional()
    .describe('another checkout of Inlet, measured beside this one: tells what a change brings'),
  profile: z
    .string()
    .optional()
    .describe('folder for CPU profiles of all Node processes, which are summed up'),
  json: z.string().optional().describe('file for all figures'),
  dir: z
    .string()
    .optional()
    .describe('folder on a real disk for the data, removed afterwards; default .inlet/bench-<pid>'),
};
const Options = z.object(SETTINGS);
export type Options = Readonly<z.output<typeof Options>>;

/** Undefined when only help was asked for. @throws one sentence a fault */
export function readOptions(args: readonly string[]): Options | undefined {
  const named = Object.fromEntries(
    Object.keys(SETTINGS).map((name) => [
      name,
      { type: name === 'verify' ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  const { values } = parseArgs({
    args: [...args],
    options: { ...named, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) return undefined;
  const parsed = Options.safeParse(values);
  if (parsed.success) return parsed.data;
  throw new Error(
    parsed.error.issues.map((issue) => `--${String(issue.path[0])}: ${issue.message}`).join('; '),
  );
}

export function helpText(scenarios: readonly { name: string; purpose: string }[]): string {
  const lines = Object.entries(SETTINGS).map(([name, schema]) => {
    const initial = schema.safeParse(undefined).data;
    const shown = initial === undefined || initial === false ? '' : `; default ${String(initial)}`;
    return `  --${name.padEnd(16)} ${schema.description}${shown}`;
  });
  return `npm run bench -- [settings]\n\nMeasures the whole of Inlet on this machine beside two yardsticks.\n\nScenarios:\n${scenarios.map(({ name, purpose }) => `  ${name.padEnd(18)} ${purpose}`).join('\n')}\n\nSettings:\n${lines.join('\n')}\n\nSettings of the services (docs/settings.md) are taken from the environment.\n`;
}
