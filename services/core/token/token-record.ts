/** An API token: its fields in its record, the API and its resource (spec 2.7; D9, D10, D67, D69). */
import { z } from 'zod';

import type { Owned } from '../address/scope.ts';
import { describeSchema, EXAMPLE, exampleOf } from '../resource/api-reference.ts';
import { Environment } from '../resource/environment.ts';
import { ManagedBy } from '../resource/managed-by.ts';
import { CREATED_AT } from '../resource/field-kinds.ts';
import { type Fields, shapeOf } from '../resource/field.ts';
import { withDefaults, type Stamp } from '../resource/record.ts';
import type { Resource } from '../resource/resource.ts';
import { shownFields, viewOfFields } from '../resource/view.ts';
import { textField } from '../resource/text-field.ts';
import { TIMESTAMP_TEXT, Timestamp } from '../time/timestamp.ts';
import { Permission, PERMISSIONS } from './permission.ts';
import { formatToken, prefixOf } from './token.ts';
import { limitFields, limitView, TokenLimit } from './token-limit.ts';

export const TOKEN_NAME_MAX_CHARS = 100; // D9

const Name = textField({ minChars: 1, maxChars: TOKEN_NAME_MAX_CHARS });
const Permissions = z.array(Permission);

/** The API has no changes of tokens; `change` is what a custom resource may change. */
const fields = {
  name: {
    record: z.string(),
    view: z.string(),
    create: Name,
    change: Name.optional(),
    spec: z
      .string()
      .min(1)
      .max(TOKEN_NAME_MAX_CHARS)
      .optional()
      .describe('name of the token; default: the name of this resource'),
    inEvents: 'every',
    example: 'web shop',
  },
  prefix: {
    record: z.string(),
    view: z.string().describe('first characters of the token, for identification'),
    inEvents: 'created',
    example: 'svc_live_Jx4k2q',
  },
  environment: {
    record: Environment,
    view: Environment.describe('environment of the token'),
    create: Environment.optional().describe(
      'default: the environment of the calling token; a test token can create only test tokens',
    ),
    inEvents: 'created',
    example: 'live',
  },
  permissions: {
    record: Permissions,
    view: Permissions,
    create: Permissions.min(1)
      .optional()
      .describe(
        'default: all, or for a member their own; a token can grant only permissions that it has',
      ),
    change: Permissions.optional(),
    spec: Permissions.min(1).optional().meta({
      description: 'permissions of the token; default: all',
      'x-kubernetes-list-type': 'set',
    }),
    default: PERMISSIONS,
    inEvents: 'created',
    example: ['addresses:read', 'deliveries:read'],
  },
  limit: { record: TokenLimit.nullable().default(null), default: null, inEvents: 'created' },
  ...limitFields,
  member_id: {
    record: z.string().nullable().default(null),
    view: z
      .string()
      .nullable()
      .describe('the person whose token it is, and with whom it ends; null: it is of the account'),
    default: null,
    example: null,
  },
  created_at: CREATED_AT,
  expires_at: {
    record: z.date().nullable().default(null),
    view: Timestamp.nullable().describe(
      'requests with it are refused from then on; null when it does not expire',
    ),
    create: Timestamp.nullable()
      .optional()
      .describe(
        'when it ends, in the future; default: never, or when the calling token ends, which ' +
          'cannot create one that lasts longer',
      ),
    change: Timestamp.nullable().optional(),
    spec: z
      .string()
      .regex(
        /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/,
        TIMESTAMP_TEXT,
      )
      .optional()
      .describe(
        'when the token ends, such as 2027-01-31T00:00:00Z; default: never. A later time makes an ' +
          'expired token valid again',
      ),
    default: null,
    example: null,
  },
  last_used_at: {
    record: z.date().nullable(),
    view: Timestamp.nullable().describe('accurate to the minute; null when never used'),
    default: null,
    example: EXAMPLE.now,
  },
} as const satisfies Fields;

export const TOKEN = {
  name: 'token',
  title: 'API token',
  plural: 'API tokens',
  idPrefix: 'token',
  /** The `token_id` of an event is the token that made the change. */
  idInEvents: (event) => `${event}_token_id`,
  owner: 'account',
  maximum: Infinity,
  fields,
} as const satisfies Resource;

/** A token without its text. What is null may be absent in MongoDB. */
export const TokenRecord = z.object({
  id: z.string(),
  account_id: z.string(),
  ...shapeOf(fields, 'record'),
  managed_by: ManagedBy.optional(),
});
export type TokenRecord = z.infer<typeof TokenRecord>;

/** The only type that contains the token itself. */
export type IssuedToken = TokenRecord & { token: string };

export type TokenNoun = {
  Record: TokenRecord;
  New: TokenNoun['Change'] &
    Pick<TokenRecord, 'name'> &
    Partial<Pick<TokenRecord, 'environment' | 'member_id' | 'managed_by'>>;
  Change: Partial<Pick<TokenRecord, 'name' | 'permissions' | 'limit' | 'expires_at'>>;
  View: z.infer<typeof TokenView>;
};
export type NewToken = TokenNoun['New'];

/** @param random of {@link TOKEN_RANDOM_BYTES} */
export function newToken(
  requested: NewToken,
  { account_id, ...owner }: Owned,
  { id, now, managed_by }: Stamp,
  random: Buffer,
): IssuedToken {
  const { environment = owner.environment } = requested;
  const token = formatToken(environment, random);
  const own = { environment, prefix: prefixOf(token), created_at: now };
  return {
    id,
    account_id,
    ...withDefaults(fields, { ...requested, ...own }),
    ...(managed_by && { managed_by }),
    token,
  };
}

/** Never the token itself. */
export const TokenView = viewOfFields('Token', EXAMPLE.token_id, fields);
export const tokenView = ({ limit, ...token }: TokenRecord) => ({
  id: token.id,
  ...shownFields(fields, { ...token, ...limitView(limit) }),
});

const { last_used_at: _never, ...unusedToken } = exampleOf(TokenView);

/** The response of a creation (spec 4.4), the only one with the token. */
export const CreatedToken = TokenView.omit({ last_used_at: true }).extend({
  token: z.string().describe('the token itself, shown only in this response'),
});
describeSchema(CreatedToken, 'CreatedToken', {
  ...unusedToken,
  token: `${unusedToken.prefix}EXAMPLE-not-a-valid-token-EXAMPLE-123`,
});

export const createdTokenView = (issued: IssuedToken): z.infer<typeof CreatedToken> => {
  const { last_used_at: _unused, ...view } = tokenView(issued);
  return { ...view, token: issued.token };
};
