/** The schema of an ApiToken resource. */
import { z } from 'zod';

import { TOKEN } from '../../token/token-record.ts';
import { specShape } from '../../resource/spec.ts';
import {
  AccountRef,
  commonStatus,
  immutable,
  ResourceEnvironment,
  rules,
  SecretName,
} from './spec-fields.ts';

export const ApiTokenSpec = z
  .object({
    accountRef: AccountRef,
    environment: ResourceEnvironment,
    ...specShape(TOKEN.fields),
    secretName: SecretName.optional().describe(
      'name of the Secret that the operator creates with the token; default: the name of this' +
        ' resource followed by -token',
    ),
  })
  .meta(
    rules(...immutable('secretName'), {
      rule: '!(has(self.addressIds) && has(self.labels))',
      message: 'addressIds and labels exclude each other',
    }),
  );
export type ApiTokenSpec = z.infer<typeof ApiTokenSpec>;

export const ApiTokenStatus = z.object({
  ...commonStatus,
  id: z.string().optional().describe('id of the token in the API'),
  prefix: z.string().optional().describe('first characters of the token, for identification'),
  secretName: z.string().optional().describe('name of the Secret that the operator created'),
});
export type ApiTokenStatus = z.infer<typeof ApiTokenStatus>;
