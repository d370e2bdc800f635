/** How the payload of a receiver differs from spec 6.1. */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import { StorageSettings } from '../bucket/storage-settings.ts';
import { Extraction } from '../extract/extraction.ts';
import { EXTRACTIONS } from '../extract/extraction-names.ts';

/** Options of an address that change the payload of spec 6.1. */
export const PayloadSettings = z.object({
  attachments: z
    .enum(['inline', 'omit', 'url'])
    .default('inline')
    .describe(
      'content of attachments: in the payload (inline), left out (omit), or as a link that expires (url)',
    ),
  raw: z
    .boolean()
    .default(false)
    .describe('whether the payload has a link to the raw email; the link expires'),
  extract: z
    .array(Extraction)
    .max(EXTRACTIONS.length)
    .default([])
    .describe('what Inlet reads from the email into `extracted` of the payload'),
  storage: StorageSettings.nullable()
    .default(null)
    .describe(
      'files that Inlet stores in a bucket of yours before it calls the receiver; null: none',
    ),
});
export type PayloadSettings = z.infer<typeof PayloadSettings>;
describeSchema(PayloadSettings, 'PayloadSettings');

export const SPEC_PAYLOAD: PayloadSettings = {
  attachments: 'inline',
  raw: false,
  extract: [],
  storage: null,
};
