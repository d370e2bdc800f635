/**
 * Collects facts about an email: about its sender from DNS, about its content from rspamd and clamd.
 * If these fail, the email is still accepted.
 */
import { createInterruptionLog } from '../../adapters/process/interruption-log.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { Authenticate } from '../../adapters/mailauth/authenticate.ts';
import type { Rspamd, RspamdQuestion, RspamdVerdict } from '../../adapters/http/rspamd.ts';
import { type Authentication, UNKNOWN, wordsOf } from '../../core/mail/authentication.ts';
import type { SpamScore } from '../../core/mail/spam.ts';
import type { Virus } from '../../core/mail/virus.ts';
import type { GatewayMetrics } from '../process/metrics.ts';
import type { VirusScan } from './virus-scan.ts';

export type SenderFacts = {
  /** undefined when authentication is switched off. */
  authentication: Authentication | undefined;
  /** undefined without rspamd, or when it did not answer. */
  rspamd: SpamScore | undefined;
  /** undefined when nothing scans for malware. */
  virus: Virus | undefined;
};

export type CheckSenderMetrics = Pick<GatewayMetrics, 'authenticated' | 'rspamdAnswered'>;

export type CheckSenderIO = {
  authenticate: Authenticate | undefined;
  rspamd: Pick<Rspamd, 'judge'> | undefined;
  virusScan: Pick<VirusScan, 'email'> | undefined;
  metrics: CheckSenderMetrics;
};

/** Never throws, except CpuLimitReached. */
export type CheckSender = (
  raw: Buffer,
  question: RspamdQuestion,
  isUnauthenticated?: boolean,
) => Promise<SenderFacts>;

export function createCheckSender(
  { authenticate, rspamd, virusScan, metrics }: CheckSenderIO,
  log: Log,
): CheckSender {
  const interruptions = createInterruptionLog(log);
  const authenticated = async (
    raw: Buffer,
    { envelope }: RspamdQuestion,
  ): Promise<Authentication | undefined> => {
    if (authenticate === undefined) return undefined;
    const startedAt = performance.now();
    const authentication = await authenticate(raw, envelope).catch((error: unknown) => {
      log.error('mail.authentication_failed', { error });
      return UNKNOWN;
    });
    metrics.authenticated(
      {
        ...wordsOf(authentication),
        arc: authentication.arc.result,
        iprev: authentication.iprev.result,
      },
      performance.now() - startedAt,
    );
    return authentication;
  };

  const judged = async (
    raw: Buffer,
    question: RspamdQuestion,
  ): Promise<RspamdVerdict | undefined> => {
    if (rspamd === undefined) return undefined;
    const startedAt = performance.now();
    const verdict = await rspamd.judge(raw, question).catch((error: unknown) => {
      interruptions.report('warn', 'rspamd.failed', { error });
      return undefined;
    });
    metrics.rspamdAnswered(
      verdict === undefined ? 'failed' : 'answered',
      performance.now() - startedAt,
    );
    return verdict;
  };

  return async function checkSender(raw, question, isUnauthenticated = false) {
    const [authentication, verdict, virus] = await Promise.all([
      isUnauthenticated ? authenticate && UNKNOWN : authenticated(raw, question),
      judged(raw, question),
      virusScan?.email(raw),
    ]);
    return { authentication, rspamd: verdict?.score, virus: virus ?? verdict?.virus };
  };
}
