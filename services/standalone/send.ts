/**
 * `npm run send -- [address] …`: sends an email to the Inlet that `npm start` runs, and prints the
 * gateway's reply.
 */
import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { readConfig } from '../adapters/process/config.ts';
import { causeChain } from '../adapters/process/log.ts';
import { StandaloneConfig } from './config.ts';
import { sendMail, type OutgoingMail } from './mail-client.ts';
import { readState } from './state.ts';

const USAGE = `npm run send -- [address] [options]

Sends an email over SMTP to the Inlet that "npm start" runs, and prints the reply.
Without an address, the email is sent to the address that "npm start" created.

  --subject TEXT   subject; default: Hello
  --text TEXT      text of the email
  --from ADDRESS   sender; default: you@example.com
  --attach FILE    attach a file; can be repeated
  --size SIZE      add an attachment so that the email has about this size, such as 500k or 20m
  --help           show this help

Examples:
  npm run send -- --subject "Order 7" --attach order.pdf
  npm run send -- orders@inlet.localhost --size 20m
`;

const UNIT_BYTES: Record<string, number> = { '': 1, k: 1024, m: 1024 * 1024 };
const BASE64_GROWTH = 78 / 57; // a line of 76 characters and CRLF for every 57 bytes

try {
  await main();
} catch (error) {
  process.stderr.write(`send: ${causeChain(error)}\n`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      subject: { type: 'string', default: 'Hello' },
      text: { type: 'string', default: 'Sent by npm run send.' },
      from: { type: 'string', default: 'you@example.com' },
      attach: { type: 'string', multiple: true, default: [] },
      size: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void process.stdout.write(USAGE);
  if (positionals.length > 1)
    throw new Error(`give one address, not ${positionals.length}: ${positionals.join(' ')}`);

  const attachments = await Promise.all(values.attach.map(attached));
  if (values.size !== undefined) attachments.push(filler(values.size));
  const { INLET_DIR } = readConfig(StandaloneConfig, process.env);
  const state = await readState(resolve(import.meta.dirname, '..', '..', INLET_DIR));
  const mail: OutgoingMail = {
    from: values.from,
    to: positionals[0] ?? state.address,
    subject: values.subject,
    text: values.text,
    attachments,
  };
  const reply = await sendMail(
    { host: state.smtp_host, port: state.smtp_port, caFile: state.ca_file },
    mail,
  );
  process.stdout.write(`${mail.to}: ${reply}\n`);
}

async function attached(path: string): Promise<{ filename: string; content: Buffer }> {
  try {
    return { filename: basename(path), content: await readFile(path) };
  } catch (cause) {
    throw new Error(`cannot attach ${path}`, { cause });
  }
}

function filler(size: string): { filename: string; content: Buffer } {
  const [, digits, unit = ''] = /^(\d+)([km]?)$/i.exec(size) ?? [];
  if (digits === undefined)
    throw new Error(`--size ${size} is not a size: use a number of bytes, or a number with k or m`);
  const mailBytes = Number(digits) * (UNIT_BYTES[unit.toLowerCase()] ?? 1);
  return {
    filename: 'filler.bin',
    content: Buffer.alloc(Math.floor(mailBytes / BASE64_GROWTH), 'inlet'),
  };
}
