/** `inlet send`: sends an email over SMTP, as any mail server does, and prints the replies. */
import { generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';

import { InvalidArgumentError } from 'commander';

import type { OutgoingMail, RawMail, Signer } from '../../adapters/smtp/mail-client.ts';
import { countIn } from '../terminal/arguments.ts';
import type { Cli } from '../api/cli.ts';
import { ExitCode, Failure, usageFault } from '../terminal/failure.ts';
import { causesOf } from '../terminal/fault-text.ts';
import { findRunningInlet, type RunningInlet } from '../terminal/running-inlet.ts';
import { mailServersOf } from './mail-servers.ts';

type Attachment = NonNullable<OutgoingMail['attachments']>[number];
type Options = {
  to: string[];
  subject: string;
  text: string;
  from: string;
  html?: string;
  header: { key: string; value: string }[];
  as?: string;
  spoof?: string;
  eml?: string;
  attach: string[];
  size?: number;
  mx?: boolean;
  smtpHost?: string;
  smtpPort: number;
};

const SMTP_PORT = 25;
const FORGED_KEY_BITS = 2048;
const ADDRESS = /^.+@[^\s@<>]+$/;
const UNIT_BYTES: Record<string, number> = { '': 1, k: 1024, m: 1024 * 1024 };
const BASE64_GROWTH = 78 / 57; // a line of 76 characters and CRLF for every 57 bytes

export function addSendCommand(cli: Cli): void {
  cli.program
    .command('send')
    .description('send an email over SMTP, and print the reply')
    .argument('[address]', 'recipient; default: the address that npm start created')
    .option('--to <address>', 'a further recipient; can be repeated', recipientsIn, [])
    .option('--subject <text>', 'subject', 'Hello')
    .option('--text <text>', 'text of the email', 'Sent by inlet send.')
    .option('--html <html>', 'HTML of the email, in addition to the text')
    .option('--header <name: value>', 'a further header; can be repeated', headerIn, [])
    .option('--from <address>', 'sender', 'you@example.com')
    .option('--as <address>', 'authentic sender below .test: SPF, DKIM and DMARC pass (npm start)')
    .option('--spoof <address>', 'forged sender below .test: SPF, DKIM and DMARC fail (npm start)')
    .option('--eml <file>', 'send this email as it is; - reads it from standard input')
    .option(
      '--attach <file>',
      'attach a file; can be repeated',
      (file: string, files: string[]) => [...files, file],
      [],
    )
    .option('--size <size>', 'pad the email to about this size: 500k, 20m', sizeIn)
    .option('--mx', 'through the MX of the address, as a stranger: with STARTTLS, on port 25')
    .option('--smtp-host <host>', 'mail server; default: the gateway of the running npm start')
    .option('--smtp-port <port>', 'port of --smtp-host', countIn, SMTP_PORT)
    .addHelpText(
      'after',
      '\nExamples:\n  inlet send --subject "Order 7" --attach order.pdf\n' +
        '  inlet send orders@in.example.com --smtp-host mx.in.example.com\n' +
        '  inlet send canary@in.example.com --mx --from canary@in.example.com\n' +
        '  inlet send --as ann@partner.test\n' +
        '  inlet send --eml received.eml',
    )
    .action(async (address: string | undefined, options: Options) => {
      const named = [...(address === undefined ? [] : [address]), ...options.to];
      const strange = named.find((one) => !ADDRESS.test(one));
      if (strange !== undefined) throw usageFault(`${strange} is not an email address`);
      const { to, hosts, testDomains, ...gateway } = await targetOf(cli, named, options);
      const proof = await proofFor(options, testDomains);
      const { helo, ...mail } = { ...(await mailOf(cli, to, options)), ...proof };
      const { sendToMany } = await import('../../adapters/smtp/mail-client.ts');
      const { reply, refused } = await firstOf(hosts, (host) =>
        sendToMany({ ...gateway, host, ...(helo && { helo }) }, mail),
      ).catch((error: unknown) => {
        throw refusalOf(error);
      });
      const replies = to.map(
        (one) => refused.find((other) => other.address === one) ?? { address: one, reply },
      );
      const [first] = replies;
      cli.print(replies.length === 1 ? { to: first?.address, reply } : { replies }, () =>
        replies.map((one) => `${one.address}: ${one.reply}\n`).join(''),
      );
      if (refused.length > 0) throw new Failure(`${refused.length} of ${to.length} are refused`);
    });
}

async function mailOf(
  { terminal }: Cli,
  to: string[],
  { from, subject, text, html, header: headers, eml, attach, size }: Options,
): Promise<OutgoingMail | RawMail> {
  if (eml !== undefined) {
    if (html !== undefined || headers.length > 0 || attach.length > 0 || size !== undefined)
      throw usageFault(
        '--eml is the whole email: it excludes --html, --header, --attach and --size',
      );
    const raw = await (eml === '-' ? terminal.readInput() : contentOf(eml, 'read'));
    return { raw, envelope: { from, to } };
  }
  const attachments = await Promise.all(attach.map(attached));
  if (size !== undefined) attachments.push(filler(size));
  return { from, to, subject, text, ...(html !== undefined && { html }), headers, attachments };
}

async function targetOf({ terminal, caFile: wantedCa }: Cli, named: string[], options: Options) {
  const { mx, smtpHost, smtpPort } = options;
  if (mx === true) {
    if (smtpHost !== undefined) throw usageFault('--mx excludes --smtp-host');
    const [only, ...others] = named;
    if (only === undefined || others.length > 0) throw usageFault('--mx needs one address');
    return {
      to: named,
      hosts: await mailServersOf(only.slice(only.lastIndexOf('@') + 1)),
      port: SMTP_PORT,
      requiresTls: true,
      testDomains: undefined,
    };
  }
  const caFile = wantedCa();
  if (smtpHost !== undefined) {
    if (named.length === 0) throw usageFault('--smtp-host needs an address, too');
    return {
      to: named,
      hosts: [smtpHost],
      port: smtpPort,
      testDomains: undefined,
      ...(caFile !== undefined && { caFile }),
    };
  }
  const running = await findRunningInlet(terminal);
  if (running === undefined)
    throw new Failure(
      'no running Inlet is found: start it with npm start, give --smtp-host, or set INLET_DIR if ' +
        'npm start has one of its own',
      ExitCode.unreachable,
    );
  return {
    to: named.length === 0 ? [running.address] : named,
    hosts: [running.smtp_host],
    port: running.smtp_port,
    caFile: caFile ?? running.smtp_ca_file,
    testDomains: running.test_domains,
  };
}

/** What makes the email of --as authentic and that of --spoof a forgery. */
async function proofFor(
  { as, spoof, eml }: Options,
  testDomains: RunningInlet['test_domains'],
): Promise<{ from?: string; dkim?: Signer; helo?: string }> {
  const from = as ?? spoof;
  const other = testDomains && { helo: testDomains.other_helo };
  if (from === undefined) return { ...other };
  if (as !== undefined && spoof !== undefined) throw usageFault('--as excludes --spoof');
  if (eml !== undefined) throw usageFault('--eml is the whole email: it excludes --as and --spoof');
  const domainName = /^[^@]+@([a-z0-9.-]+\.test)$/i.exec(from)?.[1];
  if (domainName === undefined)
    throw usageFault(`${from} is not an address below .test, such as ann@partner.test`);
  if (testDomains === undefined)
    throw new Failure('--as and --spoof need a running npm start without DNS_SERVERS');
  const { selector: keySelector, genuine_helo: helo, key_file: keyFile } = testDomains;
  if (as !== undefined)
    return {
      from,
      helo,
      dkim: { domainName, keySelector, privateKey: await readFile(keyFile, 'utf8') },
    };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: FORGED_KEY_BITS });
  const forged = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  return { from, ...other, dkim: { domainName, keySelector, privateKey: forged } };
}

/** A sender goes on to the next server when one does not respond. @throws the error of the last one */
async function firstOf<T>(
  hosts: readonly string[],
  sendTo: (host: string) => Promise<T>,
): Promise<T> {
  const [host = '', ...others] = hosts;
  try {
    return await sendTo(host);
  } catch (error) {
    if (isRefusal(error) || others.length === 0) throw error;
    return firstOf(others, sendTo);
  }
}

/** A refusal of the server has a reply code. */
const isRefusal = (error: unknown): boolean => error instanceof Error && 'responseCode' in error;

const refusalOf = (error: unknown): Failure =>
  new Failure(causesOf(error), isRefusal(error) ? ExitCode.failed : ExitCode.unreachable);

const attached = async (path: string): Promise<Attachment> => ({
  filename: basename(path),
  content: await contentOf(path, 'attach'),
});

async function contentOf(path: string, purpose: 'attach' | 'read'): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new Failure(`cannot ${purpose} ${path}`, ExitCode.failed, { cause });
  }
}

const recipientsIn = (address: string, before: string[]) => [...before, address];

function headerIn(text: string, before: Options['header']): Options['header'] {
  const [, key, value] = /^([!-9;-~]+):\s*(.*)$/s.exec(text) ?? []; // RFC 5322 §2.2
  if (key === undefined || value === undefined || /[\r\n]/.test(value))
    throw new InvalidArgumentError('It must be like "Name: value", on one line.');
  return [...before, { key, value }];
}

const filler = (mailBytes: number): Attachment => ({
  filename: 'filler.bin',
  content: Buffer.alloc(Math.floor(mailBytes / BASE64_GROWTH), 'inlet'),
});

function sizeIn(size: string): number {
  const [, digits, unit = ''] = /^(\d+)([km]?)$/i.exec(size) ?? [];
  if (digits === undefined)
    throw new InvalidArgumentError('It must be a number of bytes, or a number with k or m.');
  return Number(digits) * (UNIT_BYTES[unit.toLowerCase()] ?? 1);
}
