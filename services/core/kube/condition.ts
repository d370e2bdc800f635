/**
 * Conditions in the status of a resource. As in Kubernetes, the transition time changes only with
 * the status.
 */
import type { PayloadSettings } from '../receiver/payload-settings.ts';
import type { Condition } from './spec/spec-fields.ts';
import { timestamp } from '../time/timestamp.ts';

/** The current value of one condition. */
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

/** Why a payload with these settings cannot be had; undefined when it can. */
export const linksRefusal = (
  { raw, attachments }: PayloadSettings,
  offersFiles: boolean,
): Verdict | undefined =>
  !offersFiles && (raw || attachments === 'url')
    ? notReady(
        'LinksNotOffered',
        'this installation has no download links: payload.raw and payload.attachments: url are not available',
      )
    : undefined;

/** The conditions with these verdicts; other conditions stay as they are. */
export function withVerdicts(
  before: readonly Condition[],
  verdicts: Readonly<Record<string, Verdict>>,
  observedGeneration: number,
  now: Date,
): Condition[] {
  const updated = Object.entries(verdicts).map(([type, verdict]): Condition => {
    const old = before.find((condition) => condition.type === type);
    return {
      type,
      ...verdict,
      lastTransitionTime: old?.status === verdict.status ? old.lastTransitionTime : timestamp(now),
      observedGeneration,
    };
  });
  return [...before.filter(({ type }) => !(type in verdicts)), ...updated];
}

/** A Kubernetes event. */
export type ResourceEvent = { isWarning: boolean; reason: string; message: string };

/** Reasons of a resource that is as its spec asks, although email is lost, or soon will be. */
const WARNINGS = ['Failing', 'QuotaNear', 'QuotaSpent'];

/** The event of a change of `Ready`. */
export function eventOf(
  reasonBefore: string | undefined,
  { status, reason, message }: Verdict,
): ResourceEvent {
  return reasonBefore === 'Failing' && reason === 'Ready'
    ? { isWarning: false, reason: 'Recovered', message: `no longer failing: ${message}` }
    : { isWarning: status !== 'True' || WARNINGS.includes(reason), reason, message };
}

/** The spec cannot be fulfilled. Nothing failed, and a retry alone does not help. */
export class RefusalError extends Error {
  override readonly name = 'RefusalError';
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}
