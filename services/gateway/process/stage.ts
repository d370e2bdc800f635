/** What a content thread does for an email. Its CPU time is counted by stage. */
import { step } from '../../adapters/threads/job.ts';

export const STAGES = ['sender', 'content', 'rules', 'storing'] as const;
export type Stage = (typeof STAGES)[number];

/** A part of an email's work that runs without a pause. */
export const inStage = <T>(stage: Stage, work: () => T): T => step(STAGES.indexOf(stage), work);
