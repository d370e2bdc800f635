/** `inlet canary`: sends an email as a stranger would, and times its way to its receiver. */
import { Option } from 'commander';

import { addressIdOf } from '../api/address-names.ts';
import { countIn, durationIn } from '../terminal/arguments.ts';
import type { Cli, Connected } from '../api/cli.ts';
import { Failure, usageFault } from '../terminal/failure.ts';
import { createRetry } from '../live/retry.ts';
import { printable } from '../terminal/text.ts';
import type { Canary, CanaryResult } from './run-canary.ts';

type Options = {
  host?: string;
  port: number;
  from?: string;
  until: Canary['until'];
  timeout: number;
  verifyCertificate?: boolean;
};

const SMTP_PORT = 25;
const TIMEOUT_MS = 60_000;

export function addCanaryCommand(cli: Cli): void {
  cli.program
    .command('canary')
    .description('send an email as a stranger would, and time its way until it is delivered')
    .argument('<address>', 'address that receives it: its name, or its id')
    .option('--host <host>', 'mail server; default: the MX records of the domain of the address')
    .option('--port <port>', 'port of the mail server', countIn, SMTP_PORT)
    .option('--from <address>', 'sender; default: canary@ the domain of the address')
    .addOption(
      new Option('--until <state>', 'when it has arrived')
        .choices(['stored', 'delivered'])
        .default('delivered'),
    )
    .addOption(
      new Option('--timeout <duration>', 'for everything together')
        .argParser(durationIn)
        .default(TIMEOUT_MS, '60s'),
    )
    .option('--verify-certificate', 'fail when the certificate of the mail server is not valid')
    .addHelpText(
      'after',
      '\nSTARTTLS is required. The token needs addresses:read and deliveries:read.\n' +
        'It exits with 1 when the email is refused or not delivered, 5 when it is late, and 6 when\n' +
        'the DNS, the mail server or the API does not respond. The email is an ordinary one: it is\n' +
        'counted, and its receiver gets it. So let it have an address of its own.\n' +
        '\nExamples:\n  inlet canary canary@in.example.com\n' +
        '  inlet canary canary@in.example.com --host mx.in.example.com --until stored --json',
    )
    .action(async (given: string, options: Options) => {
      const connected = await cli.connect();
      const canary = await canaryOf(connected, given, options);
      const { runCanary } = await import('./run-canary.ts');
      const { stopped } = cli.terminal;
      const signal = AbortSignal.any([stopped, AbortSignal.timeout(options.timeout)]);
      const retrying = createRetry({ ...cli.terminal, stopped: signal });
      const { result, exitCode } = await runCanary(canary, {
        api: connected.api,
        retrying,
        signal,
      });
      cli.print(result, canaryText);
      if (result.failed_step !== null)
        throw new Failure(`${result.failed_step}: ${printable(result.error ?? '')}`, exitCode);
    });
}

async function canaryOf(
  { api, privateCa }: Connected,
  given: string,
  options: Options,
): Promise<Canary> {
  if (options.from !== undefined && !/^[^\s@<>]+@[^\s@<>]+$/.test(options.from))
    throw usageFault(`${printable(options.from)} is not an email address`);
  const address_id = await addressIdOf(api.call, given);
  const { address } = await api.call('GET /addresses/{address_id}', { params: { address_id } });
  if (address.includes('*'))
    throw usageFault(`${printable(address)} is a wildcard: a canary needs an address of its own`);
  const { host, port, until, verifyCertificate: verifiesCertificate = false } = options;
  const from = options.from ?? `canary${address.slice(address.lastIndexOf('@'))}`;
  return {
    address,
    addressId: address_id,
    from,
    host,
    port,
    until,
    verifiesCertificate,
    ca: privateCa,
  };
}

function canaryText({
  address,
  host,
  place,
  reply,
  event_id,
  steps,
  total_ms,
}: CanaryResult): string {
  const to = host === null ? '' : ` through ${host}${place === null ? '' : ` (${place})`}`;
  const notes: Record<string, string | null> = { accepted: reply, stored: event_id };
  const lines = Object.entries(steps).map(([field, ms]) => {
    const step = field.replace(/_ms$/, '');
    const note = notes[step];
    return `  ${step.padEnd(9)} ${`${ms} ms`.padStart(9)}${note ? `  ${printable(note)}` : ''}\n`;
  });
  return [
    `canary to ${printable(address)}${printable(to)}\n`,
    ...lines,
    `  ${'total'.padEnd(9)} ${`${total_ms} ms`.padStart(9)}\n`,
  ].join('');
}
