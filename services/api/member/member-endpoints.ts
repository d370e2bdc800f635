/** The people of an account: list, invitation, role and removal (D75). */
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';

import { EXAMPLE } from '../../core/resource/api-reference.ts';
import {
  InvitedMember,
  LinkSeconds,
  MEMBER,
  type Member,
  MemberView,
  memberView,
} from '../../core/member/member.ts';
import { CreatedLink, dashboardUrl } from '../../core/member/session.ts';
import type { TokenIdentity } from '../../core/token/token.ts';
import { AppError } from '../../core/error/app-error.ts';
import { timestamp } from '../../core/time/timestamp.ts';
import type { MemberOperations } from '../../platform/member/member-operations.ts';
import { refuseTest } from '../http/authentication.ts';
import { defineEndpoint, Deleted, type Endpoint } from '../http/endpoint.ts';
import { shapeOf } from '../../core/resource/field.ts';
import { originOf } from '../http/cookie.ts';

type MemberEndpointDependencies = {
  members: MemberOperations;
  trustedProxies: readonly string[];
  /** Origin of the dashboard; undefined: as in the request. */
  publicOrigin: string | undefined;
};

const writes = { tag: 'members', permission: 'tokens:write' } as const;

export function memberEndpoints({
  members,
  trustedProxies,
  publicOrigin,
}: MemberEndpointDependencies): Endpoint[] {
  const urlOf = (request: IncomingMessage, code: string): string =>
    dashboardUrl(publicOrigin ?? originOf(request, trustedProxies), code);

  const viewNow = async ({ id, account_id }: Pick<Member, 'id' | 'account_id'>, now: Date) => {
    const found = (await members.list(account_id, now)).find(({ member }) => member.id === id);
    return found && memberView(found.member, found.linkExpiresAt);
  };

  return [
    defineEndpoint({
      call: 'GET /account/members',
      operationId: 'listMembers',
      summary: 'List the people of the account and what each may do, newest first',
      tag: 'members',
      permission: 'tokens:read',
      response: z.object({ data: z.array(MemberView) }),
      handle: async ({ caller, now }) => {
        const found = await members.list(caller.account_id, now);
        return {
          data: found.map(({ member, linkExpiresAt }) => memberView(member, linkExpiresAt)),
        };
      },
    }),
    defineEndpoint({
      call: 'POST /account/members',
      operationId: 'inviteMember',
      summary:
        'Invite a person: the response has a single-use link, which Inlet does not send. The caller ' +
        'needs all permissions of the role',
      ...writes,
      example: { request: { name: 'Ann Example', role: 'developer' } },
      body: z.strictObject(shapeOf(MEMBER.fields, 'create')),
      status: 201,
      response: InvitedMember,
      handle: async ({ body, ...cause }) => {
        refuseTest(cause.caller, 'invite people');
        refuseExpiring(cause.caller);
        const origin = urlOf(cause.request, '');
        const { link_expires_in_seconds: seconds, ...invited } = body;
        const { member, code, expiresAt } = await members.invite(cause, invited, seconds);
        return { ...memberView(member, expiresAt), url: `${origin}${code}` };
      },
    }),
    defineEndpoint({
      call: 'PATCH /account/members/{member_id}',
      operationId: 'updateMember',
      summary:
        'Change the name or the role of a person; a role applies to their sessions immediately and ' +
        'to their tokens within a second',
      ...writes,
      errors: ['conflict'],
      example: { request: { role: 'viewer' } },
      body: z.strictObject(shapeOf(MEMBER.fields, 'change')),
      response: MemberView,
      handle: async ({ body, params, ...cause }) => {
        refuseTest(cause.caller, 'change people');
        if (body.role !== undefined) refuseExpiring(cause.caller);
        const member = await members.change(cause, params.member_id, body);
        return (await viewNow(member, cause.now)) ?? memberView(member, undefined);
      },
    }),
    defineEndpoint({
      call: 'POST /account/members/{member_id}/links',
      operationId: 'createMemberLink',
      summary:
        'Create a single-use link with which a person signs in again; an earlier one stops working',
      ...writes,
      errors: ['conflict'],
      example: { request: { link_expires_in_seconds: 86_400 } },
      body: z.strictObject({ link_expires_in_seconds: LinkSeconds }),
      status: 201,
      response: CreatedLink,
      handle: async ({ body, params, ...cause }) => {
        refuseTest(cause.caller, 'sign people in');
        refuseExpiring(cause.caller);
        const origin = urlOf(cause.request, '');
        const requested = body.link_expires_in_seconds;
        const { code, expiresAt } = await members.link(cause, params.member_id, requested);
        return { url: `${origin}${code}`, expires_at: timestamp(expiresAt) };
      },
    }),
    defineEndpoint({
      call: 'DELETE /account/members/{member_id}',
      operationId: 'deleteMember',
      summary: 'Remove a person: their sessions and tokens end with them',
      ...writes,
      errors: ['conflict'],
      example: { response: { id: EXAMPLE.member_id, deleted: true } },
      response: Deleted,
      handle: async ({ params: { member_id }, ...cause }) => {
        refuseTest(cause.caller, 'remove people');
        await members.remove(cause, member_id);
        return { id: member_id, deleted: true as const };
      },
    }),
  ];
}

/** A session or a role of a person would last longer (D67). @throws AppError `forbidden` */
function refuseExpiring({ token_expires_at }: TokenIdentity): void {
  if (token_expires_at !== undefined)
    throw new AppError(
      'forbidden',
      'A token that expires cannot invite people, change their roles or sign them in',
    );
}
