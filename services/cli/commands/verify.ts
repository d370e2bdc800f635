/** `inlet verify`: checks the signature of a webhook, and explains why it does not match. */
import { timingSafeEqual, verify } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { PUBLIC_PREFIX, verifyingKey } from '../../core/webhook/key-pair.ts';
import {
  questionDigest,
  questionKeys,
  SECRET_PREFIX,
  signatureHeaders,
  signingKeys,
} from '../../core/webhook/signature.ts';
import type { Cli } from '../api/cli.ts';
import { ExitCode, Failure, usageFault } from '../terminal/failure.ts';

type Options = {
  secret?: string;
  secretFile?: string;
  publicKey?: string;
  header: string[];
  body?: string;
  tolerance: number;
  hook?: boolean;
};
type HeaderLines = ReadonlyMap<string, string>;

const TOLERANCE_SECONDS = 300;

export function addVerifyCommand(cli: Cli): void {
  cli.program
    .command('verify')
    .description('check the signature of a webhook, and explain why it does not match')
    .option('--secret-file <file>', 'file with the webhook secret of the address: whsec_…')
    .option('--secret <secret>', 'the secret itself, which other users of this machine can see')
    .option('--public-key <key>', 'public key of a receiver that has one: whpk_…')
    .requiredOption(
      '--header <header>',
      'header as received, "Name: value"; can be repeated',
      (header: string, headers: string[] | undefined) => [...(headers ?? []), header],
    )
    .option('--body <file>', 'file with the body as received; default: standard input')
    .option('--tolerance <seconds>', 'accepted age of the timestamp', Number, TOLERANCE_SECONDS)
    .option('--hook', 'it is a question to a deciding hook, and no webhook')
    .addHelpText(
      'after',
      '\nWithout --secret-file, --secret and --public-key, the variable WEBHOOK_SECRET has the secret.',
    )
    .action(async ({ header, body: file, tolerance, hook = false, ...place }: Options) => {
      const secret = place.publicKey ?? (await secretIn(place, cli.terminal.env));
      if (place.publicKey !== undefined && verifyingKey(secret) === undefined)
        throw usageFault('the key is not whpk_ and 32 bytes in Base64: use public_key');
      if (place.publicKey === undefined && !secret.startsWith(SECRET_PREFIX))
        throw usageFault(
          'the secret does not begin with whsec_: use webhook_secret of the address',
        );
      const body = file === undefined ? await cli.terminal.readInput() : await readFile(file);
      const headers = headersIn(header);
      const facts = { secret, isQuestion: hook, tolerance, now: new Date() };
      const fault = signatureFault(headers, body, facts);
      if (fault !== undefined) throw new Failure(fault, ExitCode.failed);
      cli.print({ valid: true }, () => 'the signature is valid\n');
    });
}

async function secretIn(
  { secret, secretFile }: Pick<Options, 'secret' | 'secretFile'>,
  { WEBHOOK_SECRET }: NodeJS.ProcessEnv,
): Promise<string> {
  if (secretFile !== undefined) return (await readFile(secretFile, 'utf8')).trim();
  const given = secret ?? WEBHOOK_SECRET;
  if (!given) throw usageFault('the secret is missing: give --secret-file, or set WEBHOOK_SECRET');
  return given;
}

function headersIn(lines: readonly string[]): HeaderLines {
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      if (colon < 1) throw usageFault(`"${line}" is not a header: write "Name: value"`);
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}

/** `secret` is a secret or a public key. */
type Facts = { secret: string; isQuestion: boolean; tolerance: number; now: Date };

/** Undefined when the signature is valid. */
function signatureFault(headers: HeaderLines, body: Buffer, facts: Facts): string | undefined {
  const isPublic = facts.secret.startsWith(PUBLIC_PREFIX);
  const svc = isPublic ? undefined : headers.get('svc-signature');
  const standard = headers.get('webhook-signature');
  if (svc === undefined && standard === undefined)
    return 'there is neither Svc-Signature nor webhook-signature: was it sent by Inlet?';
  const seconds =
    svc === undefined ? headers.get('webhook-timestamp') : /(?:^|,)\s*t=(\d+)/.exec(svc)?.[1];
  if (seconds === undefined || !/^\d{1,15}$/.test(seconds))
    return svc === undefined
      ? 'webhook-signature needs webhook-timestamp, in seconds'
      : 'Svc-Signature has no timestamp: it looks like v1,t=1760000000,s=…';
  const eventId = headers.get('webhook-id') ?? '';
  if (svc === undefined && eventId === '') return 'webhook-signature needs webhook-id';

  const version = isPublic ? 'v1a' : 'v1';
  const given = svc === undefined ? tokensOf(standard ?? '', version) : hexOf(svc);
  if (given.length === 0)
    return (
      `the header contains no signature of version ${version}: ` +
      (isPublic ? 'give the webhook secret' : 'a receiver with ed25519 needs --public-key')
    );
  const time = new Date(Number(seconds) * 1_000);
  const matches = (bytes: Uint8Array, isQuestion = facts.isQuestion) => {
    const key = isPublic ? verifyingKey(facts.secret) : undefined;
    if (key) {
      const message = Buffer.concat([Buffer.from(`${eventId}.${seconds}.`), bytes]);
      const text = isQuestion ? questionDigest(message) : message;
      return given.some((one) => verify(null, text, key, Buffer.from(one, 'base64')));
    }
    const keys = [(isQuestion ? questionKeys : signingKeys)(facts.secret)];
    const request = { eventId, body: bytes, keys, now: time };
    const signed = signatureHeaders(request);
    const [expected = ''] =
      svc === undefined
        ? tokensOf(signed['webhook-signature'], version)
        : hexOf(signed['svc-signature'] ?? '');
    return given.some((one) => isEqual(one, expected));
  };
  if (matches(body)) return clockFault(time, facts);
  if (matches(body, !facts.isQuestion)) return facts.isQuestion ? IS_WEBHOOK : IS_QUESTION;
  const spelling = SPELLINGS.find(({ of }) => {
    const other = of(body);
    return other !== undefined && matches(other);
  });
  if (spelling === undefined && isPublic) return WRONG_KEY;
  return spelling === undefined ? WRONG_SECRET : `the body was changed: ${spelling.why}`;
}

const IS_QUESTION =
  'this is a question to a deciding hook, and no webhook: the email may have been refused. Use --hook ' +
  'in a hook';
const IS_WEBHOOK = 'this is a webhook, and no question to a deciding hook';

const WRONG_SECRET =
  'the signature belongs to another secret or another body. Compare the secret with webhook_secret ' +
  'of the address (inlet addresses show); sign the bytes as received, before any JSON parser';

const WRONG_KEY =
  'the signature belongs to another key or another body. Compare the key with public_key of the ' +
  'receiver (inlet receivers show); verify the bytes as received, before any JSON parser';

function clockFault(time: Date, { now, tolerance }: Facts): string | undefined {
  const ageSeconds = Math.round((now.getTime() - time.getTime()) / 1_000);
  if (Math.abs(ageSeconds) <= tolerance) return undefined;
  const side = ageSeconds > 0 ? 'old' : 'in the future';
  return (
    `the signature matches, but its timestamp is ${Math.abs(ageSeconds)} s ${side}, more than ` +
    `${tolerance} s: check the clock of this machine, or whether the request is a repeated one`
  );
}

/** What frameworks and editors do to a body. `of` undoes it; undefined when that is impossible. */
const SPELLINGS: { why: string; of: (body: Buffer) => Buffer | undefined }[] = [
  { why: 'it has an extra line end', of: (body) => Buffer.from(body.toString().trimEnd()) },
  { why: 'its final line end is missing', of: (body) => Buffer.concat([body, Buffer.from('\n')]) },
  {
    why: 'it has CRLF line ends',
    of: (body) => Buffer.from(body.toString().replaceAll('\r\n', '\n')),
  },
  {
    why: 'it was parsed and encoded again. Verify the bytes as received, before any JSON parser',
    of: (body) => {
      try {
        return Buffer.from(JSON.stringify(JSON.parse(body.toString())));
      } catch {
        return undefined;
      }
    },
  },
  {
    why: 'it was read as Latin-1 and written as UTF-8',
    of: (body) => Buffer.from(body.toString('utf8'), 'latin1'),
  },
];

const tokensOf = (header: string, version: string): string[] =>
  header
    .split(/\s+/)
    .flatMap((one) => (one.startsWith(`${version},`) ? [one.slice(version.length + 1)] : []));

const hexOf = (header: string): string[] =>
  [...header.matchAll(/s=([0-9a-f]+)/gi)].map(([, hex = '']) => hex.toLowerCase());

const isEqual = (one: string, other: string) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
