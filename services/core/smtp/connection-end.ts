/**
 * Why an SMTP connection ended, and whether the log says so (D296). A sender whose handshake fails
 * leaves no other trace.
 */
import { badSequence, shuttingDown, timedOut } from './smtp-reply.ts';

export type ConnectionFacts = {
  /** The name of the reply that closed it, or `quit`; undefined when the client closed it. */
  endedBy: string | undefined;
  /** Whether a TLS handshake had begun and did not end. */
  isInHandshake: boolean;
  /** Whether DATA had begun, and had no reply yet. */
  isInData: boolean;
  /** Whether MAIL was accepted, and the email had not ended yet. */
  isInMail: boolean;
  /** Whether the client sent anything. */
  hasSpoken: boolean;
  /** Emails that were accepted, and refusals of emails, which have log lines of their own. */
  accepted: number;
  refused: number;
  /** How often bad commands were refused, by the name of the reply. */
  errors: ReadonlyMap<string, number>;
};

export const QUIT = 'quit';

/** Such ends are no news: the client or the gateway left in an orderly way, or nobody spoke. */
const ORDERLY: ReadonlySet<string> = new Set([QUIT, 'silent', 'left', shuttingDown.name]);

/** `reason` is one of a few names, for a label. */
export function endOf(facts: ConnectionFacts): { reason: string; isBad: boolean } {
  const { accepted, refused, isInMail, errors } = facts;
  const isDone = accepted > 0 && !isInMail;
  const reason = reasonOf(facts, isDone);
  const isOrderly = ORDERLY.has(reason) || (reason === timedOut.name && isDone);
  // DATA after refused recipients is a bad sequence (RFC 2920 §3.1), and no error of the client
  const hasErrors = [...errors.keys()].some((name) => name !== badSequence.name || refused === 0);
  return { reason, isBad: !isOrderly || hasErrors };
}

function reasonOf(
  { endedBy, isInHandshake, isInData, hasSpoken }: ConnectionFacts,
  isDone: boolean,
): string {
  if (isInHandshake && (endedBy === undefined || endedBy === timedOut.name)) return 'tls_failed';
  if (endedBy !== undefined) return endedBy;
  if (isInData) return 'lost_in_data';
  if (!hasSpoken) return 'silent'; // a health check, or a scan of ports
  return isDone ? 'left' : 'lost';
}

const VERBS: ReadonlySet<string> = new Set(
  'EHLO HELO LHLO STARTTLS MAIL RCPT DATA RSET NOOP QUIT VRFY HELP AUTH BDAT XFORWARD'.split(' '),
);

/** A client may send words of an email as commands, which the log must not have. */
export const shownCommand = (verb: string): string => (VERBS.has(verb) ? verb : 'other');
