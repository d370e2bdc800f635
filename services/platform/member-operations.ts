/** Changes of the people of an account (D75), with their events. */
import type { DashboardLinks } from '../adapters/mongo/sessions/dashboard-links.ts';
import type { Members } from '../adapters/mongo/accounts/members.ts';
import {
  lastOwner,
  type Member,
  memberData,
  refuseLinkOfUser,
  refuseRoleOfGroup,
  tooManyMembers,
} from '../core/account/member.ts';
import { requireRole, type Role, ROLE_PERMISSIONS } from '../core/account/role.ts';
import type { TokenIdentity } from '../core/account/token.ts';
import { refuseManaged } from '../core/managed-by.ts';
import { notFound } from '../core/app-error.ts';
import { fieldsBetween } from '../core/changed-fields.ts';
import { type Audit, auditUpdate, type Cause } from './audit.ts';

/** Who changes members, with what they may do themselves. */
export type MemberCause = Cause & { caller: Pick<TokenIdentity, 'permissions'> };

/** A link, whose code is the fragment of a URL: see `dashboardUrl`. */
type MemberLink = { member: Member; code: string; expiresAt: Date };

export type MemberOperations = {
  /** With the end of the link that each can sign in with, if there is one. Newest first. */
  list(
    accountId: string,
    now: Date,
  ): Promise<{ member: Member; linkExpiresAt: Date | undefined }[]>;
  /** @throws AppError `forbidden` for a role beyond the caller's permissions, `conflict` */
  invite(
    cause: MemberCause,
    invited: { name: string; role: Role; linkSeconds: number },
  ): Promise<MemberLink>;
  /**
   * A new link, with which the person signs in; the former one stops working.
   * @throws AppError `not_found`, `forbidden`, `conflict`
   */
  link(cause: MemberCause, id: string, linkSeconds: number): Promise<MemberLink>;
  /** @throws AppError `not_found`, `forbidden`, `conflict` */
  change(cause: MemberCause, id: string, change: { name?: string; role?: Role }): Promise<Member>;
  /**
   * Also removes the tokens of the person. Sessions end with their next request.
   * @throws AppError `not_found`, `forbidden`, `conflict`
   */
  remove(cause: MemberCause, id: string): Promise<void>;
};

type Parts = {
  members: Members;
  links: Pick<DashboardLinks, 'insert' | 'ofMembers' | 'removeOfMember'>;
  audit: Audit;
  /** Makes every process read its cached credentials again. */
  announce: () => void;
};

export function createMemberOperations({
  members,
  links,
  audit,
  announce,
}: Parts): MemberOperations {
  const newLink = async (member: Member, now: Date, seconds: number): Promise<MemberLink> => {
    const { id, account_id } = member;
    const expiresAt = new Date(now.getTime() + seconds * 1_000);
    await links.removeOfMember(account_id, id);
    const code = await links.insert({
      account_id,
      environment: 'live',
      permissions: [...ROLE_PERMISSIONS[member.role]],
      token_id: null,
      member_id: id,
      session_id: null,
      user: null,
      session_expires_at: null,
      expires_at: expiresAt,
    });
    return { member, code, expiresAt };
  };

  /** The member, if the caller may do to it what it asks for. */
  const changeable = async ({ caller }: MemberCause, id: string): Promise<Member> => {
    const member = await members.find(caller.account_id, id);
    if (member === undefined) throw notFound('member');
    refuseManaged('member', member.managed_by);
    requireRole(caller.permissions, member.role);
    return member;
  };

  return {
    list: async function listMembers(accountId, now) {
      const [all, ends] = await Promise.all([
        members.list(accountId),
        links.ofMembers(accountId, now),
      ]);
      return all.map((member) => ({ member, linkExpiresAt: ends.get(member.id) }));
    },
    invite: async function inviteMember(cause, { name, role, linkSeconds }) {
      const { caller, now } = cause;
      requireRole(caller.permissions, role);
      const member = await members.insert({ account_id: caller.account_id, name, role }, now);
      if (typeof member === 'string') throw tooManyMembers();
      const data = memberData(member);
      await audit(cause, { type: 'member.created', address_id: null, data });
      return newLink(member, now, linkSeconds);
    },
    link: async function linkMember(cause, id, linkSeconds) {
      const member = await changeable(cause, id);
      refuseLinkOfUser(member);
      const created = await newLink(member, cause.now, linkSeconds);
      const data = { target_member_id: id, name: member.name };
      await audit(cause, { type: 'member.link_created', address_id: null, data });
      return created;
    },
    change: async function changeMember(cause, id, change) {
      const before = await changeable(cause, id);
      if (change.role !== undefined && change.role !== before.role) {
        refuseRoleOfGroup(before);
        requireRole(cause.caller.permissions, change.role);
      }
      const member = await members.change(cause.caller.account_id, id, change);
      announce();
      if (member === 'unknown') throw notFound('member');
      if (member === 'last_owner') throw lastOwner();
      const event = { type: 'member.updated', address_id: null, data: memberData(member) } as const;
      await auditUpdate(audit, cause, event, fieldsBetween(before, member, ['name', 'role']));
      return member;
    },
    remove: async function removeMember(cause, id) {
      const { name, role } = await changeable(cause, id);
      const { account_id } = cause.caller;
      const removed = await members.remove(account_id, id);
      announce();
      if (removed === 'unknown') throw notFound('member');
      if (removed === 'last_owner') throw lastOwner();
      await links.removeOfMember(account_id, id);
      const data = { target_member_id: id, name, role };
      await audit(cause, { type: 'member.deleted', address_id: null, data });
      for (const deleted_token_id of removed.tokenIds)
        await audit(cause, { type: 'token.deleted', address_id: null, data: { deleted_token_id } });
    },
  };
}
