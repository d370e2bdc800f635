/**
 * API tokens: creation, list and revocation (spec 2.7, 4.4; D3, D9, D10, D11). A token that a member
 * creates is the member's own (D75).
 */
import { z } from 'zod';

import { EXAMPLE } from '../../core/resource/api-reference.ts';
import type { Tokens } from '../../adapters/mongo/token/tokens.ts';
import { AppError } from '../../core/error/app-error.ts';
import { refuseManaged } from '../../core/resource/managed-by.ts';
import { PERMISSIONS } from '../../core/token/permission.ts';
import { limitOf } from '../../core/token/token-limit.ts';
import { grantedExpiry, may, notHeld } from '../../core/token/token.ts';
import {
  CreatedToken,
  createdTokenView,
  TOKEN,
  TokenView,
  tokenView,
} from '../../core/token/token-record.ts';
import { shapeOf } from '../../core/resource/field.ts';
import type { Audit } from '../../platform/audit.ts';
import { createTokenOperations } from '../../platform/token/token-operations.ts';
import { refuseTest, requirePermission } from '../http/authentication.ts';
import { defineEndpoint, Deleted, type Endpoint } from '../http/endpoint.ts';

/** In the document: at most one kind of limit. */
const ONE_LIMIT = {
  not: {
    required: ['address_ids', 'labels'],
    properties: { address_ids: { type: 'array', items: {} }, labels: { type: 'object' } },
  },
};

export function tokenEndpoints({
  tokens,
  ...parts
}: {
  tokens: Tokens;
  audit: Audit;
  /** Makes every process read its cached credentials again. */
  announce: () => void;
}): Endpoint[] {
  const operations = createTokenOperations({ tokens, ...parts });
  return [
    defineEndpoint({
      call: 'GET /account/tokens',
      operationId: 'listTokens',
      summary: 'List the API tokens of the account, live and test, newest first',
      permission: 'tokens:read',
      isOpenToMembers: true,
      response: z.object({ data: z.array(TokenView) }), // spec 2.8: no pagination here
      handle: async ({ caller }) => {
        const found = await tokens.list(caller.account_id);
        const mayList = may(caller, 'tokens:read');
        const listed = found.filter(({ member_id }) => mayList || member_id === caller.member?.id);
        return { data: listed.map(tokenView) };
      },
    }),
    defineEndpoint({
      call: 'POST /account/tokens',
      operationId: 'createToken',
      summary: 'Create an API token; the token is shown only in this response',
      permission: 'tokens:write',
      isOpenToMembers: true,
      example: {
        request: { name: 'web shop', permissions: ['addresses:read', 'deliveries:read'] },
      },
      body: z
        .strictObject(shapeOf(TOKEN.fields, 'create'))
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
        const { permissions = all, environment = caller.environment } = body;
        if (caller.environment === 'test' && environment !== 'test')
          throw new AppError('forbidden', 'A test token can create only test tokens'); // D11
        const missing = notHeld(caller, permissions);
        if (missing.length > 0)
          throw new AppError(
            'forbidden',
            `The API token cannot grant permissions that it does not have: ${missing.join(', ')}`,
          );
        const requested =
          typeof body.expires_at === 'string' ? new Date(body.expires_at) : body.expires_at;
        if (requested && !(requested > cause.now))
          throw new AppError('conflict', 'expires_at is not in the future', {
            details: { field: 'expires_at', code: 'too_small' },
          });
        const expires_at = grantedExpiry(caller, requested);
        if (expires_at === undefined)
          throw new AppError('forbidden', 'The API token cannot create one that lasts longer');
        const issued = await operations.create(cause, {
          ...body,
          environment,
          permissions: [...new Set(permissions)],
          limit: limitOf(body),
          expires_at,
          member_id: caller.member?.id ?? null,
        });
        return createdTokenView(issued);
      },
    }),
    defineEndpoint({
      call: 'DELETE /account/tokens/{token_id}',
      operationId: 'deleteToken',
      summary:
        'Revoke an API token; every API process refuses it within a second. The calling token can ' +
        'revoke itself',
      permission: 'tokens:write',
      isOpenToMembers: true,
      example: { response: { id: EXAMPLE.token_id, deleted: true } },
      response: Deleted,
      handle: async ({ params: { token_id }, ...cause }) => {
        const { caller } = cause;
        const token = await tokens.find(caller, token_id);
        if (token?.member_id == null || token.member_id !== caller.member?.id)
          requirePermission(caller, 'tokens:write');
        if (token?.environment === 'live') refuseTest(caller, 'revoke a live token');
        refuseManaged('API token', token?.managed_by);
        await operations.remove(cause, token_id);
        return { id: token_id, deleted: true as const };
      },
    }),
  ];
}
