/** The schema of an ApiToken resource. */
import { z } from 'zod';

import { Permission } from '../../account/permission.ts';
import { TOKEN_NAME_MAX_CHARS } from '../../account/token.ts';
import { limitFields } from '../../account/token-limit.ts';
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
    name: z
      .string()
      .min(1)
      .max(TOKEN_NAME_MAX_CHARS)
      .optional()
      .describe('name of the token; default: the name of this resource'),
    environment: ResourceEnvironment,
    permissions: z.array(Permission).min(1).optional().meta({
      description: 'permissions of the token; default: all',
      'x-kubernetes-list-type': 'set',
    }),
    labels: limitFields.labels
      .unwrap()
      .unwrap()
      .optional()
      .describe(
        'the token reaches only InboundAddress resources with all these spec.labels, and other ' +
          'addresses with them; default: all addresses, and the rest of the account',
      ),
    addressIds: limitFields.address_ids.unwrap().unwrap().optional().meta({
      description:
        'ids of the only addresses that the token reaches; default: all, and the rest of the account',
      'x-kubernetes-list-type': 'set',
    }),
    expiresAt: z
      .string()
      .regex(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/)
      .optional()
      .describe(
        'when the token ends, such as 2027-01-31T00:00:00Z; default: never. A later time makes an ' +
          'expired token valid again',
      ),
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
