/** The setting that has the content of emails encrypted before it is stored. */
import { z } from 'zod';

import type { OptionalSecretsConfig } from '../../adapters/mongo/database/secrets.ts';
import { Flag } from '../../adapters/process/config.ts';

export const ContentConfig = {
  ENCRYPT_CONTENT: Flag.prefault('false').describe(
    'encrypts payloads, raw emails and attachments before they are stored in NATS, with a key for each ' +
      'account, which SECRET_KEYS encrypts. Earlier releases cannot read them: see docs/security.md',
  ),
};

type Encryption = z.output<z.ZodObject<typeof ContentConfig & typeof OptionalSecretsConfig>>;

export const contentHasKeys = ({ ENCRYPT_CONTENT, SECRET_KEYS }: Encryption): boolean =>
  !ENCRYPT_CONTENT || SECRET_KEYS !== undefined;

/** The fault when it has none. */
export const CONTENT_NEEDS_KEYS = {
  path: ['SECRET_KEYS'],
  message: 'must be set with ENCRYPT_CONTENT: it encrypts the keys of accounts',
};
