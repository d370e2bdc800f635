/** What the answers of mail servers on port 25 mean. */
import type { MxAnswer } from './deliverability-facts.ts';
import type { CheckResult } from './check-result.ts';
import type { MtaStsMode } from './mta-sts.ts';
type Outcome = MxAnswer['outcome'];

const REACHABLE: Record<Outcome, (host: string) => CheckResult> = {
  greeted: () => ({ status: 'ok', message: 'The MX hosts answer on port 25' }),
  no_address: (host) => ({ status: 'wrong', message: `${host} has no address in the DNS` }),
  no_greeting: (host) => ({
    status: 'wrong',
    message: `${host} does not greet as a mail server on port 25`,
  }),
  refused: (host) => ({ status: 'wrong', message: `${host} refuses connections to port 25` }),
  not_public: (host) => ({
    status: 'unknown',
    message: `${host} has an address that is not public, which is not asked from here`,
  }),
  no_response: (host) => ({
    status: 'unknown',
    message:
      `${host} did not respond on port 25. Many clouds and network policies block connections to ` +
      'that port: test from a server that sends email',
  }),
  not_checked: () => ({
    status: 'unknown',
    message: 'The check of port 25 is off in this installation (MX_CHECK)',
  }),
};

/** The worst first. */
const ORDER: readonly Outcome[] = [
  'no_address',
  'no_greeting',
  'refused',
  'no_response',
  'not_public',
  'not_checked',
  'greeted',
];

export function reachabilityCheck(answers: readonly MxAnswer[]): CheckResult {
  const [worst] = answers.toSorted(
    (one, other) => ORDER.indexOf(one.outcome) - ORDER.indexOf(other.outcome),
  );
  return worst === undefined
    ? { status: 'missing', message: 'The domain has no MX records' }
    : REACHABLE[worst.outcome](worst.host);
}

/** Without MTA-STS, senders use TLS also with a certificate that they cannot verify. */
export function certificateCheck(answers: readonly MxAnswer[], mode: MtaStsMode): CheckResult {
  const withTls = (tls: MxAnswer['tls']) => answers.find((answer) => answer.tls === tls);
  const effect =
    mode === 'enforce' ? ': senders with MTA-STS do not deliver to it' : '. Needed for MTA-STS';
  const [none, invalid] = [withTls('not_offered'), withTls('invalid')];
  if (none) return { status: 'missing', message: `${none.host} does not offer STARTTLS${effect}` };
  if (invalid)
    return { status: 'wrong', message: `The certificate of ${invalid.host} is not valid${effect}` };
  return answers.length > 0 && answers.every(({ tls }) => tls === 'valid')
    ? { status: 'ok', message: 'Each MX host has a valid certificate for its name' }
    : { status: 'unknown', message: 'Not every MX host could be asked for its certificate' };
}
