/**
 * What RCPT knows of an email, and which rules read nothing else (D278). It is read as text here: no
 * expression is compiled in the thread that speaks SMTP.
 */
import type { Recipient } from '../address/recipient.ts';

export type KnownAtRcpt = {
  mailFrom: string;
  heloDomain: string;
  remoteIp: string;
  /** Such as `1.3`; empty without TLS. */
  tlsVersion: string;
  /** The recipient, as the client wrote it. */
  named: string;
};

export const VARIABLES_AT_RCPT: ReadonlySet<string> = new Set([
  'envelope.mail_from',
  'envelope.helo_domain',
  'envelope.remote_ip',
  'recipient',
  'plus_tag',
  'tls.version',
]);

export type RecipientWithRules = Pick<Recipient, 'account_rules' | 'rules' | 'lists' | 'plus_tag'>;

/** Whether a rule may refuse this recipient at RCPT. Few recipients have one. */
export const mayRefuseAtRcpt = ({ account_rules = [], rules = [] }: RecipientWithRules): boolean =>
  [account_rules, rules].some((some) =>
    some.some(
      ({ action, when }) =>
        action === 'refuse' && /\b(?:envelope|recipient|plus_tag|tls)\b/.test(when),
    ),
  );
