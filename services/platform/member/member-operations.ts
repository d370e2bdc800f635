/** Changes of the people of an account (D75), with their events. */
import type { DashboardLinks } from '../../adapters/mongo/session/dashboard-links.ts';
import type { Members } from '../../adapters/mongo/member/members.ts';
import {
  lastOwner,
  MEMBER,
  type Member,
  type MemberChange,
  refuseLinkOfUser,
  refuseRoleOfGroup,
} from '../../core/member/member.ts';
import { requireRole, ROLE_PERMISSIONS } from '../../core/member/role.ts';
import type { TokenIdentity } from '../../core/token/token.ts';
import { refuseManaged } from '../../core/resource/managed-by.ts';
import { notFound, orNotFound, tooMany } from '../../core/error/app-error.ts';
import type { Audit, Cause } from '../audit.ts';
import { createMemberChanges } from './member-changes.ts';

/** Who changes members, with what they may do themselves. */
type MemberCause = Cause & { caller: Pick<TokenIdentity, 'permissions'> };

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
    invited: Pick<Member, 'name' | 'role'>,
    linkSeconds: number,
  ): Promise<MemberLink>;
  /**
   * A new link, with which the person signs in; the former one stops working.
   * @throws AppError `not_found`, `forbidden`, `conflict`
   */
  link(cause: MemberCause, id: string, linkSeconds: number): Promise<MemberLink>;
  /** @throws AppError `not_found`, `forbidden`, `conflict` */
  change(cause: MemberCause, id: string, change: MemberChange): Promise<Member>;
  /**
   * Also removes the tokens of the person. Sessions end with their next request.
   * @throws AppError `not_found`, `forbidden`, `conflict`
   */
  remove(cause: MemberCause, id: string): Promise<void>;
};

type MemberOperationDependencies = {
  members: Members;
  links: Pick<DashboardLinks, 'insert' | 'ofMembers' | 'removeOfMember'>;
  audit: Audit;
  /** Makes every process read its cached credentials again. */
  announce: () => void;
};

export function createMemberOperations({
  links,
  ...dependencies
}: MemberOperationDependencies): MemberOperations {
  const { members, audit } = dependencies;
  const changes = createMemberChanges(dependencies);
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
    const member = orNotFound(await members.find(caller.account_id, id), 'member');
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
    invite: async function inviteMember(cause, { name, role }, linkSeconds) {
      const { account_id, permissions } = cause.caller;
      requireRole(permissions, role);
      const member = await changes.insert(cause, { account_id, name, role });
      if (typeof member === 'string') throw tooMany(MEMBER.plural, MEMBER.maximum, MEMBER.owner);
      return newLink(member, cause.now, linkSeconds);
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
      return done(await changes.change(cause, before, change));
    },
    remove: async function removeMember(cause, id) {
      const member = await changeable(cause, id);
      done(await changes.remove(cause, member));
      await links.removeOfMember(member.account_id, id);
    },
  };
}

function done<T>(result: T | 'unknown' | 'last_owner'): T {
  if (result === 'unknown') throw notFound('member');
  if (result === 'last_owner') throw lastOwner();
  return result;
}
