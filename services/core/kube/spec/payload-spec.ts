/** What a payload has, and lacks, in the resources of addresses and receivers. */
import { z } from 'zod';

import { firstIssueText, issueText } from '../../error/issue-text.ts';
import { PayloadSettings } from '../../receiver/payload-settings.ts';
import { StorageSettings } from '../../bucket/storage-settings.ts';
import { recordFields, settingsOf } from './spec-fields.ts';

const { storage, ...scalars } = PayloadSettings.shape;

export const PayloadSpec = settingsOf(z.object(scalars)).extend({
  storage: settingsOf(z.object(StorageSettings.shape))
    .required({ bucket: true, what: true })
    .optional()
    .describe(storage.description ?? ''),
});
/** With the names that records use. A fault is a text for the condition of the resource. */
export function payloadSettingsOf(
  spec: z.infer<typeof PayloadSpec> = {},
): { settings: PayloadSettings } | { fault: string } {
  const { storage: requested, ...others }: { storage?: Record<string, unknown> } = spec;
  const parsed = PayloadSettings.safeParse(
    { ...recordFields(others), storage: requested ? recordFields(requested) : null },
    { error: issueText },
  );
  return parsed.success
    ? { settings: parsed.data }
    : { fault: firstIssueText(parsed.error, 'payload') };
}
