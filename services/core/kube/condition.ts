/** Conditions of a resource's status, as Kubernetes means them: the time moves only when the status does. */
import type { Condition } from './spec-fields.ts';
import { timestamp } from '../timestamp.ts';

/** What is to be said of one condition now. */
export type Verdict = { status: 'True' | 'False' | 'Unknown'; reason: string; message: string };

export const ready = (reason: string, message: string): Verdict => ({
  status: 'True',
  reason,
  message,
});
export const notReady = (reason: string, message: string): Verdict => ({
  status: 'False',
  reason,
  message,
});

/** These conditions with the new verdicts in them; others stay. */
export function withVerdicts(
  before: readonly Condition[],
  verdicts: Readonly<Record<string, Verdict>>,
  observedGeneration: number,
  now: Date,
): Condition[] {
  const said = Object.entries(verdicts).map(([type, verdict]): Condition => {
    const old = before.find((condition) => condition.type === type);
    return {
      type,
      ...verdict,
      lastTransitionTime: old?.status === verdict.status ? old.lastTransitionTime : timestamp(now),
      observedGeneration,
    };
  });
  return [...before.filter(({ type }) => !(type in verdicts)), ...said];
}

/** Why a resource is as it is although nothing failed: its spec cannot be fulfilled as things are. Trying again by itself helps nothing. */
export class RefusalError extends Error {
  override readonly name = 'RefusalError';
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}
