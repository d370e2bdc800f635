/**
 * Checks of a line before smtp-server reads it (RFC 5321 §2.3.8, §4.1.1, §4.5.3.1.4; RFC 3207 §4).
 */
import {
  badLine,
  lineTooLong,
  needsTls,
  type SmtpReply,
  speaksHttp,
  talkedTooSoon,
  unknownParameter,
} from './smtp-reply.ts';

type CommandFacts = {
  /** The line without its end. */
  line: Buffer;
  /** Whether its end was CR LF. A bare LF is refused, because servers differ on it. */
  endsWithCrlf: boolean;
  /** Whether the client has been greeted. */
  isGreeted: boolean;
  isSecure: boolean;
  requiresTls: boolean;
};

/**
 * RFC 5321 requires 512 bytes, and more for the parameters of extensions. Postfix has the same
 * limit.
 */
export const MAX_COMMAND_BYTES = 2048;

const WITHOUT_TLS = new Set(['EHLO', 'HELO', 'NOOP', 'QUIT', 'RSET', 'STARTTLS']);

type Check = (facts: CommandFacts) => SmtpReply | undefined;

const beforeTheGreeting: Check = ({ isGreeted }) => (isGreeted ? undefined : talkedTooSoon);
const http: Check = ({ line }) =>
  /^[a-z]+ \S.* HTTP\/\d(\.\d)?\r?$/i.test(line.toString('latin1')) ? speaksHttp : undefined;
const tooLong: Check = ({ line }) =>
  line.byteLength > MAX_COMMAND_BYTES ? lineTooLong : undefined;
const noLine: Check = ({ line, endsWithCrlf }) =>
  endsWithCrlf && isText(line) ? undefined : badLine;
const inTheClear: Check = ({ line, requiresTls, isSecure }) =>
  requiresTls && !isSecure && !WITHOUT_TLS.has(commandOf(line)) ? needsTls : undefined;
const notOffered: Check = ({ line }) =>
  parametersOf(line).some(({ verb, name }) => !OFFERED[verb]?.includes(name))
    ? unknownParameter
    : undefined;

const CHECKS: readonly Check[] = [beforeTheGreeting, http, tooLong, noLine, inTheClear, notOffered];

/** The reply to a bad line, or undefined to execute it. A 421 closes the connection. */
export function lineRefusal(facts: CommandFacts): SmtpReply | undefined {
  for (const check of CHECKS) {
    const reply = check(facts);
    if (reply) return reply;
  }
  return undefined;
}

/** What EHLO offers (RFC 1870, 6152, 6531); none has a parameter of RCPT. */
const OFFERED: Partial<Record<string, readonly string[]>> = { MAIL: ['SIZE', 'BODY', 'SMTPUTF8'] };
/** What follows the path, whose local part may be quoted (RFC 5321 §4.1.2). */
const PARAMETERS = /^(MAIL|RCPT)\s[^<]*<(?:[^">]|"(?:[^"\\]|\\.)*")*>\s+(\S.*)$/i;

function parametersOf(line: Buffer): { verb: string; name: string }[] {
  const [, verb = '', parameters = ''] = PARAMETERS.exec(line.toString()) ?? [];
  return [...parameters.matchAll(/([^\s=]*)\S*/g)]
    .filter(([word]) => word !== '')
    .map(([, name = '']) => ({ verb: verb.toUpperCase(), name: name.toUpperCase() }));
}

/** The verb of a line, in upper case. */
export const commandOf = (line: Buffer): string =>
  /^[a-z]*/i.exec(line.toString('latin1', 0, 16))?.[0].toUpperCase() ?? '';

/** Valid UTF-8 without control characters such as CR and NUL (RFC 6531 §3.3). */
const isText = (line: Buffer): boolean =>
  // oxlint-disable-next-line no-control-regex
  !/[\x00-\x08\x0a-\x1f\x7f]/.test(line.toString('latin1')) &&
  Buffer.from(line.toString()).equals(line);
