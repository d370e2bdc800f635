/** Making a link that opens the dashboard, signed in (D36). */
import type { IncomingMessage } from 'node:http';

import { z } from 'zod';

import { AppError } from '../../core/error/app-error.ts';
import { CreatedLink, dashboardUrl, LINK_MAX_SECONDS } from '../../core/member/session.ts';
import { Environment } from '../../core/resource/environment.ts';
import { timestamp } from '../../core/time/timestamp.ts';
import { Permission } from '../../core/token/permission.ts';
import { notHeld } from '../../core/token/token.ts';
import { outsideLimit } from '../../core/token/token-limit.ts';
import type { createDashboardLink } from '../../platform/session/dashboard-link.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';

export type CreateLink = ReturnType<typeof createDashboardLink>;

const NewLinkBody = z.strictObject({
  permissions: z
    .array(Permission)
    .min(1)
    .optional()
    .describe("of the session; default: the caller's own; it cannot have more"),
  environment: Environment.optional().describe(
    'default: the environment of the caller; a test token can choose only test',
  ),
  expires_in_seconds: z
    .int()
    .min(1)
    .max(LINK_MAX_SECONDS)
    .default(LINK_MAX_SECONDS)
    .describe('how long the link works'),
});

/** @param origin of the dashboard, as this request reaches it */
export function linkEndpoint(
  createLink: CreateLink,
  origin: (request: IncomingMessage) => string,
): Endpoint {
  return defineEndpoint({
    call: 'POST /account/dashboard-links',
    operationId: 'createDashboardLink',
    summary: 'Create a single-use link that opens the dashboard, signed in',
    tag: 'sessions',
    permission: 'any',
    reach: 'limited',
    example: {
      request: { permissions: ['addresses:read', 'deliveries:read'], expires_in_seconds: 120 },
    },
    body: NewLinkBody,
    status: 201,
    response: CreatedLink,
    handle: async ({ caller, body, request, now }) => {
      const { permissions = caller.permissions, environment = caller.environment } = body;
      if (caller.environment === 'test' && environment !== 'test')
        throw new AppError('forbidden', 'A test token can create only links to test data'); // D11
      if (caller.limit !== null && environment !== caller.environment) throw outsideLimit();
      const missing = notHeld(caller, permissions);
      if (missing.length > 0)
        throw new AppError(
          'forbidden',
          `The link cannot have permissions that its creator lacks: ${missing.join(', ')}`,
        );
      const { code, expiresAt } = await createLink(
        {
          accountId: caller.account_id,
          environment,
          permissions: [...new Set(permissions)],
          memberId: caller.member?.id,
          tokenId: caller.session === undefined ? caller.id : caller.session.token_id,
          ...(caller.session && { session: { id: caller.id, ...caller.session } }),
          expiresInSeconds: body.expires_in_seconds,
        },
        now,
      );
      return {
        url: dashboardUrl(origin(request), code),
        expires_at: timestamp(expiresAt),
      };
    },
  });
}
