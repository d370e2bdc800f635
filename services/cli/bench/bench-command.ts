/** `inlet admin bench`: what an installation can take, and what is at its limit then. */
import { type Command, InvalidArgumentError, Option } from 'commander';

import { countIn, listIn } from '../terminal/arguments.ts';
import { printJson } from '../admin/act.ts';
import type { Database } from '../admin/database.ts';
import type { HostPort } from '../doctor/probes.ts';
import { Failure, usageFault } from '../terminal/failure.ts';
import { findRunningInlet } from '../terminal/running-inlet.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { MAIL_SIZES, type MailSize } from './bench-mails.ts';
import type { Component } from './run-step.ts';

type Options = {
  gateway?: HostPort;
  proxyProtocol?: boolean;
  receiver: HostPort;
  metrics?: Partial<Record<Component, string>>;
  cores?: Partial<Record<Component, number>>;
  rates: number[];
  seconds: number;
  emails: number;
  connections: number;
  addresses: number;
  size: MailSize;
};

const COMPONENTS: readonly Component[] = ['gateway', 'dispatcher'];
const RATES = [50, 100, 200, 400, 800];
const STEPS_MAX = 20;
const RATE_MAX = 10_000;
const SECONDS_MAX = 600;
const EMAILS_MAX = 1_000_000;
const CONNECTIONS_MAX = 500;
const ADDRESSES_MAX = 1_000;

/** @param open the database, within --timeout */
export function addBenchCommand(
  admin: Command,
  terminal: Terminal,
  open: () => Promise<Database>,
): void {
  admin
    .command('bench')
    .description(
      'send more and more emails to an account of its own, until a rate is not reached, and say what ' +
        'was at its limit; it is a load test: see docs/scaling.md',
    )
    .option('--gateway <host:port>', 'mail server; default: that of the running npm start', placeIn)
    .option('--proxy-protocol', 'begin connections with a PROXY protocol header')
    .addOption(
      new Option(
        '--receiver <host:port>',
        'where dispatchers reach the receiver, which this command itself runs; 0: any free port',
      )
        .argParser(placeIn)
        .default({ host: '127.0.0.1', port: 0 }, '127.0.0.1:0'),
    )
    .option(
      '--metrics <component=url>',
      'metrics of gateway or dispatcher, of each address of the name; repeatable',
      namedIn((text) => (URL.canParse(text) ? text : undefined)),
    )
    .option(
      '--cores <component=cpu>',
      'CPU limit of a pod of gateway or dispatcher, such as gateway=500m; repeatable',
      namedIn(coresIn),
    )
    .addOption(
      new Option('--rates <list>', 'emails a second, a step each')
        .argParser(ratesIn)
        .default(RATES, RATES.join(',')),
    )
    .option('--seconds <number>', 'length of a step', atMost(SECONDS_MAX), 60)
    .option('--emails <number>', 'at most this number in all', atMost(EMAILS_MAX), 100_000)
    .option('--connections <number>', 'SMTP connections', atMost(CONNECTIONS_MAX), 50)
    .option('--addresses <number>', 'addresses of the account', atMost(ADDRESSES_MAX), 10)
    .addOption(new Option('--size <size>', 'of an email').choices(MAIL_SIZES).default('25k'))
    .addHelpText(
      'after',
      '\nIt needs SECRET_KEYS and INBOUND_DOMAIN of the installation. The account is removed at the end,\n' +
        'with its addresses and records, also after a failure; addresses of a run that was killed\n' +
        'expire by themselves. With --json, it prints all figures of each step.\n' +
        '\nExample:\n  inlet admin bench --rates 100,200 --seconds 30',
    )
    .action(async (options: Options) => {
      await using database = await open();
      const bench = await benchOf(terminal, options);
      const { runBench } = await import('./run-bench.ts');
      const { conclusion, headLine, stepLine } = await import('./bench-report.ts');
      const wantsJson = admin.optsWithGlobals<{ json?: boolean }>().json === true;
      const write = wantsJson ? () => undefined : terminal.write;
      write(headLine());
      const result = await runBench(database, bench, {
        signal: terminal.stopped,
        say: (line) => terminal.complain(`${line}\n`),
        onStep: (step) => write(stepLine(step)),
      }).catch((error: unknown) => {
        throw terminal.stopped.aborted ? new Failure('stopped before the end') : error;
      });
      if (wantsJson) printJson(terminal, result);
      else write(conclusion(result));
    });
}

async function benchOf(terminal: Terminal, { proxyProtocol = false, ...options }: Options) {
  const running = terminal.env.MONGODB_URI ? undefined : await findRunningInlet(terminal);
  const gateway =
    options.gateway ?? (running && { host: running.smtp_host, port: running.smtp_port });
  if (gateway === undefined)
    throw usageFault('--gateway is required: the host and port of the mail server');
  return {
    ...options,
    gateway: { ...gateway, expectsProxyHeader: proxyProtocol },
    metrics: options.metrics ?? running?.metrics_urls ?? {},
    cores: options.cores ?? {},
  };
}

function placeIn(text: string): HostPort {
  const [, host = '', port] = /^\[?([^\][]+)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535)
    throw new InvalidArgumentError('It must be a host and a port, such as inlet-gateway:25.');
  return { host, port: Number(port) };
}

const namedIn =
  <T>(parse: (text: string) => T | undefined) =>
  (text: string, known: Partial<Record<Component, T>> = {}): Partial<Record<Component, T>> => {
    const at = text.indexOf('=');
    const component = COMPONENTS.find((name) => name === text.slice(0, at));
    const value = parse(text.slice(at + 1));
    if (component === undefined || value === undefined)
      throw new InvalidArgumentError('It must be gateway=… or dispatcher=….');
    return { ...known, [component]: value };
  };

/** A quantity of CPU as Kubernetes writes it. */
function coresIn(text: string): number | undefined {
  const [, number, milli] = /^(\d+(?:\.\d+)?)(m?)$/.exec(text) ?? [];
  const cores = Number(number) / (milli ? 1000 : 1);
  return cores > 0 ? cores : undefined;
}

const atMost =
  (most: number) =>
  (text: string): number => {
    const count = countIn(text);
    if (count > most) throw new InvalidArgumentError(`It must be at most ${most}.`);
    return count;
  };

function ratesIn(text: string): number[] {
  const rates = listIn(text).map(atMost(RATE_MAX));
  if (rates.length > STEPS_MAX)
    throw new InvalidArgumentError(`It must have at most ${STEPS_MAX} steps.`);
  return rates;
}
