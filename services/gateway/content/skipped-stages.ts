/** What is left out of an email whose reading took too long. The rest is delivered, with a warning. */
import type { EndReason } from '../../adapters/threads/worker.ts';
import { NOT_EVALUATED, type ParseWarning } from '../../core/webhook/parse-warning.ts';
import type { SkippedStages } from '../receive/received-mail.ts';
import type { Stage } from '../process/stage.ts';

const PARTLY = 'only its headers and the beginning of its text are shown';

const CONTENT: Record<Exclude<EndReason, 'stopped'>, ParseWarning> = {
  timeout: { code: 'parse_timeout', message: `Parsing the email took too long: ${PARTLY}` },
  memory: {
    code: 'parse_out_of_memory',
    message: `Parsing the email took too much memory: ${PARTLY}`,
  },
  fault: { code: 'parse_failed', message: `The email could not be read: ${PARTLY}` },
};

/** @param stage that took too long */
export function skipStage(
  before: SkippedStages | undefined,
  stage: Stage,
  reason: Exclude<EndReason, 'stopped'>,
): SkippedStages {
  if (stage === 'sender') return { ...before, sender: true };
  const content = { content: CONTENT[reason] };
  const rules = { rules: NOT_EVALUATED };
  // what is stored was read, and passed filters
  const slow = { content, rules, storing: { ...content, ...rules } }[stage];
  return { ...before, ...slow };
}
