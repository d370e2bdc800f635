/**
 * API tokens: creation, list and revocation (spec 2.7, 4.4; D3, D9, D10, D11). A token that a member
 * creates is the member's own (D75).
 */
import { z } from 'zod';

import { EXAMPLE } from '../../core/api-reference.ts';
import type { Audit } from '../../platform/audit.ts';
import type { Tokens } from '../../adapters/mongo/accounts/tokens.ts';
import { Environment } from '../../core/environment.ts';
import { AppError, notFound } from '../../core/app-error.ts';
import { refuseManaged } from '../../core/managed-by.ts';
import { Permission, PERMISSIONS } from '../../core/account/permission.ts';
import { limitFields, limitOf, limitView } from '../../core/account/token-limit.ts';
import { Timestamp, timestamp } from '../../core/timestamp.ts';
import {
  CreatedToken,
  grantedExpiry,
  may,
  notHeld,
  TOKEN_NAME_MAX_CHARS,
  tokenCreatedData,
  TokenListItem,
} from '../../core/account/token.ts';
import { refuseTest, requirePermission } from '../http/authentication.ts';
import { defineEndpoint, Deleted, type Endpoint } from '../http/endpoint.ts';
import { textField } from '../../core/resource/text-field.ts';

/** In the document: at most one kind of limit. */
const ONE_LIMIT = {
  not: {
    required: ['address_ids', 'labels'],
    properties: { address_ids: { type: 'array', items: {} }, labels: { type: 'object' } },
  },
};

export function tokenEndpoints({
  tokens,
  audit,
  announce,
}: {
  tokens: Pick<Tokens, 'issue' | 'list' | 'revoke' | 'managerOf'>;
  audit: Audit;
  /** Makes every process read its cached credentials again. */
  announce: () => void;
}): Endpoint[] {
  return [
    defineEndpoint({
      method: 'GET',
      path: '/account/tokens',
      operationId: 'listTokens',
      summary: 'List the API tokens of the account, live and test, newest first',
      permission: 'tokens:read',
      isOpenToMembers: true,
      response: z.object({ data: z.array(TokenListItem) }), // spec 2.8: no pagination here
      handle: async ({ caller }) => {
        const found = await tokens.list(caller.account_id);
        const mayList = may(caller, 'tokens:read');
        const listed = found.filter(({ member_id }) => mayList || member_id === caller.member?.id);
        return {
          data: listed.map(({ limit, ...token }) => ({
            ...token,
            ...limitView(limit),
            created_at: timestamp(token.created_at),
            expires_at: token.expires_at && timestamp(token.expires_at),
            last_used_at: token.last_used_at && timestamp(token.last_used_at),
          })),
        };
      },
    }),
    defineEndpoint({
      method: 'POST',
      path: '/account/tokens',
      operationId: 'createToken',
      summary: 'Create an API token; the token is shown only in this response',
      permission: 'tokens:write',
      isOpenToMembers: true,
      example: {
        request: { name: 'web shop', permissions: ['addresses:read', 'deliveries:read'] },
      },
      body: z
        .strictObject({
          name: textField({ minChars: 1, maxChars: TOKEN_NAME_MAX_CHARS }),
          permissions: z
            .array(Permission)
            .min(1)
            .optional()
            .describe(
              'default: all, or for a member their own; a token can grant only permissions that it has',
            ),
          ...limitFields,
          environment: Environment.optional().describe(
            'default: the environment of the calling token; a test token can create only test tokens',
          ),
          expires_at: Timestamp.nullable()
            .optional()
            .describe(
              'when it ends, in the future; default: never, or when the calling token ends, which ' +
                'cannot create one that lasts longer',
            ),
        })
        .refine(({ address_ids, labels }) => !(address_ids && labels), {
          path: ['labels'],
          params: { rule: 'conflict' },
        })
        .meta(ONE_LIMIT),
      status: 201,
      response: CreatedToken,
      handle: async ({ body, ...cause }) => {
        const { caller } = cause;
        const all = caller.member === undefined ? PERMISSIONS : caller.permissions;
        const { name, permissions = all, environment = caller.environment } = body;
        if (caller.environment === 'test' && environment !== 'test')
          throw new AppError('forbidden', 'A test token can create only test tokens'); // D11
        const missing = notHeld(caller, permissions);
        if (missing.length > 0)
          throw new AppError(
            'forbidden',
            `The API token cannot grant permissions that it does not have: ${missing.join(', ')}`,
          );
        const asked =
          typeof body.expires_at === 'string' ? new Date(body.expires_at) : body.expires_at;
        if (asked && !(asked > cause.now))
          throw new AppError('conflict', 'expires_at is not in the future', {
            details: { field: 'expires_at', code: 'too_small' },
          });
        const expires_at = grantedExpiry(caller, asked);
        if (expires_at === undefined)
          throw new AppError('forbidden', 'The API token cannot create one that lasts longer');
        const issued = await tokens.issue({
          accountId: caller.account_id,
          name,
          environment,
          permissions: [...new Set(permissions)],
          limit: limitOf(body),
          expires_at,
          memberId: caller.member?.id,
        });
        await audit(cause, {
          type: 'token.created',
          address_id: null,
          data: tokenCreatedData(issued),
        });
        const { limit, ...shown } = issued;
        return {
          ...shown,
          ...limitView(limit),
          created_at: timestamp(issued.created_at),
          expires_at: expires_at && timestamp(expires_at),
        };
      },
    }),
    defineEndpoint({
      method: 'DELETE',
      path: '/account/tokens/{token_id}',
      operationId: 'deleteToken',
      summary:
        'Revoke an API token; every API process refuses it within a second. The calling token can ' +
        'revoke itself',
      permission: 'tokens:write',
      isOpenToMembers: true,
      example: { response: { id: EXAMPLE.token_id, deleted: true } },
      response: Deleted,
      handle: async ({ params, ...cause }) => {
        const { account_id, member } = cause.caller;
        const listed = await tokens.list(account_id);
        const token = listed.find(({ id }) => id === params.token_id);
        if (token?.member_id == null || token.member_id !== member?.id)
          requirePermission(cause.caller, 'tokens:write');
        if (token?.environment === 'live') refuseTest(cause.caller, 'revoke a live token');
        refuseManaged('API token', await tokens.managerOf(account_id, params.token_id));
        const wasRevoked = await tokens.revoke(account_id, params.token_id);
        announce();
        if (!wasRevoked) throw notFound('API token');
        await audit(cause, {
          type: 'token.deleted',
          address_id: null,
          data: { deleted_token_id: params.token_id },
        });
        return { id: params.token_id, deleted: true as const };
      },
    }),
  ];
}
