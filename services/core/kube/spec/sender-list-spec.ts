/** The schema of a SenderList resource. */
import { z } from 'zod';

import { SENDER_LIST } from '../../list/sender-list.ts';
import { specShape } from '../../resource/spec.ts';
import { AccountRef, commonStatus } from './spec-fields.ts';

export const SenderListSpec = z.object({
  accountRef: AccountRef,
  ...specShape(SENDER_LIST.fields),
});
export type SenderListSpec = z.infer<typeof SenderListSpec>;

export const SenderListStatus = z.object({
  ...commonStatus,
  id: z.string().optional().describe('id of the list in the API'),
  entryCount: z.int().min(0).optional().describe('number of different entries'),
});
export type SenderListStatus = z.infer<typeof SenderListStatus>;
