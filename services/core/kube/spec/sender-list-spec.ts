/** The schema of a SenderList resource. */
import { z } from 'zod';

import { DESCRIPTION_MAX_CHARS } from '../../address/address.ts';
import {
  LIST_ENTRIES_MAX,
  LIST_ENTRY_MAX_CHARS,
  ListName,
} from '../../rules/sender-list-record.ts';
import { AccountRef, commonStatus, rules } from './spec-fields.ts';

export const SenderListSpec = z.object({
  accountRef: AccountRef,
  name: ListName.meta({
    description: 'unique in the account; expressions name it: sender in lists.NAME',
    ...rules({ rule: 'self == oldSelf', message: 'name cannot be changed' }),
  }),
  entries: z
    .array(z.string().min(1).max(LIST_ENTRY_MAX_CHARS))
    .max(LIST_ENTRIES_MAX)
    .default([])
    .meta({
      description: 'addresses, domains (partner.example) and their subdomains (*.partner.example)',
      'x-kubernetes-list-type': 'atomic',
    }),
  description: z
    .string()
    .max(DESCRIPTION_MAX_CHARS)
    .optional()
    .describe('free text, which the API shows'),
});
export type SenderListSpec = z.infer<typeof SenderListSpec>;

export const SenderListStatus = z.object({
  ...commonStatus,
  id: z.string().optional().describe('id of the list in the API'),
  entryCount: z.int().min(0).optional().describe('number of different entries'),
});
export type SenderListStatus = z.infer<typeof SenderListStatus>;
