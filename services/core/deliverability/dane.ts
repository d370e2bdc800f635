/**
 * DANE for SMTP (RFC 7672): TLSA records name the key of a mail server. Senders that verify DNSSEC
 * then deliver only over TLS with that key.
 */
import { createHash, X509Certificate } from 'node:crypto';

import type { DANE_OUTCOMES, MxAnswer } from './deliverability-facts.ts';
import type { CheckResult } from './check-result.ts';

export type TlsaRecord = {
  /** RFC 6698 §2.1. Of them, 2 (an authority) and 3 (the server itself) count for SMTP. */
  usage: number;
  /** 0: of the certificate; 1: of its public key. */
  selector: number;
  /** 0: all bytes; 1: their SHA-256; 2: their SHA-512. */
  matching: number;
  data: Uint8Array;
};

/** What a server presented, in DER. */
export type PresentedCertificate = { certificate: Uint8Array; key: Uint8Array };

/** @param certificate in DER */
export const presentedCertificate = (certificate: Uint8Array): PresentedCertificate => ({
  certificate,
  key: new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' }),
});

type DaneOutcome = (typeof DANE_OUTCOMES)[number];

const SERVER = 3;
const AUTHORITY = 2;

export const tlsaName = (host: string): string => `_25._tcp.${host}`;

/** It stays right when the certificate is renewed with the same key (RFC 7672 §3.1.1). */
export const tlsaValue = ({ key }: PresentedCertificate): string =>
  `3 1 1 ${createHash('sha256').update(key).digest('hex')}`;

/**
 * @param records null when the DNS did not respond
 * @param presented undefined when the server offered no TLS
 */
export function daneOutcome(
  records: readonly TlsaRecord[] | null,
  presented: PresentedCertificate | undefined,
): DaneOutcome {
  if (records === null) return 'not_checked';
  if (records.length === 0) return 'none';
  const usable = records.filter(isUsable);
  if (usable.length === 0) return 'unusable';
  if (presented === undefined) return 'differs';
  if (usable.some((record) => record.usage === SERVER && isOf(record, presented))) return 'matches';
  // whether the chain has that authority is not looked at
  return usable.some(({ usage }) => usage === AUTHORITY) ? 'not_checked' : 'differs';
}

/** RFC 7672 §3.1.3: the other usages mean nothing to senders of email. */
const isUsable = ({ usage, selector, matching }: TlsaRecord): boolean =>
  (usage === SERVER || usage === AUTHORITY) && selector <= 1 && matching <= 2;

function isOf({ selector, matching, data }: TlsaRecord, presented: PresentedCertificate): boolean {
  const selected = selector === 0 ? presented.certificate : presented.key;
  const expected =
    matching === 0
      ? selected
      : createHash(matching === 1 ? 'sha256' : 'sha512')
          .update(selected)
          .digest();
  return Buffer.compare(expected, data) === 0;
}

const DANE_RESULTS: Record<DaneOutcome, (host: string) => CheckResult> = {
  none: (host) => ({
    status: 'off',
    message: `${host} has no TLSA records. They need a zone that is signed with DNSSEC`,
  }),
  matches: () => ({
    status: 'ok',
    message:
      'The TLSA records name the keys of the MX hosts. Whether DNSSEC signs them is not checked',
  }),
  differs: (host) => ({
    status: 'wrong',
    message: `No TLSA record of ${host} matches its certificate: senders with DANE do not deliver to it`,
  }),
  unusable: (host) => ({
    status: 'wrong',
    message: `The TLSA records of ${host} have no usage 2 or 3, so senders do not verify it`,
  }),
  not_checked: () => ({
    status: 'unknown',
    message: 'Not every MX host could be asked for its TLSA records and its certificate',
  }),
};

export const daneResult = (outcome: DaneOutcome, host: string): CheckResult =>
  DANE_RESULTS[outcome](host);

/** The worst first. */
const ORDER: readonly DaneOutcome[] = ['differs', 'unusable', 'not_checked', 'none', 'matches'];

/** `not_checked` for a host that was checked before Inlet asked for TLSA records. */
const outcomeOf = ({ dane }: MxAnswer): DaneOutcome => dane?.outcome ?? 'not_checked';

export function daneCheck(answers: readonly MxAnswer[]): CheckResult {
  const [worst] = answers.toSorted(
    (one, other) => ORDER.indexOf(outcomeOf(one)) - ORDER.indexOf(outcomeOf(other)),
  );
  if (worst === undefined) return { status: 'missing', message: 'The domain has no MX records' };
  const isPartial = answers.some((answer) => outcomeOf(answer) === 'matches');
  if (isPartial && outcomeOf(worst) === 'none')
    return {
      status: 'missing',
      message: `${worst.host} has no TLSA records, other MX hosts have: it is not protected`,
    };
  return daneResult(outcomeOf(worst), worst.host);
}

/** The record of the first host that lacks one, or null. */
export function tlsaToSet(answers: readonly MxAnswer[]): { name: string; value: string } | null {
  const lacking = answers.find(
    (answer) => answer.dane?.value != null && outcomeOf(answer) !== 'matches',
  );
  return lacking?.dane?.value == null
    ? null
    : { name: tlsaName(lacking.host), value: lacking.dane.value };
}

/** One line for a host, with the record that its key needs. */
export function daneLine(answer: MxAnswer): string {
  const value = answer.dane?.value;
  const record = value == null ? '' : ` (${tlsaName(answer.host)} TLSA ${value})`;
  return `${answer.host}: ${outcomeOf(answer)}${record}`;
}
