/** What the API shows of the files of an email in a customer's bucket. */
import { z } from 'zod';

import type { FileDeletion } from './file-deletion.ts';
import { storedFileKeys, type StoredFiles } from './stored-files.ts';

export const StoredFilesView = z.object({
  name: z.string().describe('of the bucket in Inlet'),
  endpoint: z.string(),
  bucket: z.string().describe('its name at the provider'),
  keys: z.array(z.string()).describe('of the raw email first, if it is stored'),
  deletion: z
    .enum(['under_way', 'gave_up'])
    .nullable()
    .describe(
      'of these files, after the content was erased; gave_up: delete them yourself; null before',
    ),
});
type StoredFilesView = z.infer<typeof StoredFilesView>;

export function storedFilesView({
  stored_files: files,
  file_deletion: deletion,
}: {
  stored_files?: StoredFiles;
  file_deletion?: FileDeletion;
}): StoredFilesView | null {
  if (files === undefined) return null;
  const { name, endpoint, bucket } = files;
  return { name, endpoint, bucket, keys: storedFileKeys(files), deletion: deletionView(deletion) };
}

const deletionView = (deletion: FileDeletion | undefined) =>
  deletion === undefined ? null : deletion.at === null ? 'gave_up' : 'under_way';
