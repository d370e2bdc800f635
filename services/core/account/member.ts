/** A person of an account (D75): the record, and its form in the API. */
import { z } from 'zod';

import { describeSchema, EXAMPLE, exampleOf } from '../api-reference.ts';
import { AppError, tooMany } from '../app-error.ts';
import { ManagedBy, ManagedByView, managedByView } from '../managed-by.ts';
import { Timestamp, timestamp } from '../timestamp.ts';
import { Permission } from './permission.ts';
import { Role, ROLE_PERMISSIONS } from './role.ts';
import { dashboardUrl, EXAMPLE_CODE } from './session.ts';

/** Of one account. */
export const MEMBERS_MAX = 1_000;
export const MEMBER_NAME_MAX_CHARS = 100;
/** How long a link for a person works, at most and by default: seven days. */
export const MEMBER_LINK_MAX_SECONDS = 604_800;

export const Member = z.object({
  id: z.string(),
  account_id: z.string(),
  name: z.string(),
  role: Role,
  /** The user at the OpenID provider: the claim `sub`, or a verified email address; null for none. */
  subject: z.string().nullable(),
  /** The group there that gave the role at the last sign-in; null for none. */
  group: z.string().nullable(),
  created_at: z.date(),
  /** Accurate to the minute. Null until the first sign-in. */
  last_seen_at: z.date().nullable(),
  managed_by: ManagedBy.optional(),
});
export type Member = z.infer<typeof Member>;

export const MemberView = z.object({
  id: z.string(),
  name: z.string(),
  role: Role,
  permissions: z.array(Permission).describe('what the role may do'),
  subject: z
    .string()
    .nullable()
    .describe(
      'the user at the OpenID provider: the claim sub, or a verified email address; null for a ' +
        'person who signs in with links',
    ),
  group: z
    .string()
    .nullable()
    .describe('the group at the OpenID provider that gives the role; null: the role is set here'),
  created_at: Timestamp,
  last_seen_at: Timestamp.nullable().describe(
    'last use of the dashboard, accurate to the minute; null before the first sign-in',
  ),
  link_expires_at: Timestamp.nullable().describe(
    'until then, a link that was made for this person can be used; null when there is none',
  ),
  managed_by: ManagedByView.nullable().describe(
    'the Kubernetes resource that lists this person; null for none',
  ),
});
export type MemberView = z.infer<typeof MemberView>;
describeSchema(MemberView, 'Member', {
  id: EXAMPLE.member_id,
  name: 'Ann Example',
  role: 'developer',
  permissions: [...ROLE_PERMISSIONS.developer],
  subject: null,
  group: null,
  created_at: EXAMPLE.created_at,
  last_seen_at: EXAMPLE.now,
  link_expires_at: null,
  managed_by: null,
});

/** @param linkExpiresAt of the link for this person that was not used yet; undefined for none */
export const memberView = (
  { id, name, role, subject, group, created_at, last_seen_at, managed_by }: Member,
  linkExpiresAt: Date | undefined,
): MemberView => ({
  id,
  name,
  role,
  permissions: [...ROLE_PERMISSIONS[role]],
  subject,
  group,
  created_at: timestamp(created_at),
  last_seen_at: last_seen_at && timestamp(last_seen_at),
  link_expires_at: linkExpiresAt === undefined ? null : timestamp(linkExpiresAt),
  managed_by: managedByView(managed_by),
});

export const InvitedMember = MemberView.extend({
  url: z
    .string()
    .describe('opens the dashboard, signed in as this person; works once; only in this response'),
});
describeSchema(InvitedMember, 'InvitedMember', {
  ...exampleOf(MemberView),
  last_seen_at: null,
  link_expires_at: '2026-11-28T08:00:02Z',
  url: dashboardUrl('https://inlet.example.com', EXAMPLE_CODE),
});

/** `data` of member.created and member.updated. */
export const memberData = ({ id, name, role, subject, group }: Member) => ({
  target_member_id: id,
  name,
  role,
  ...(subject !== null && { subject }),
  ...(group !== null && { group }),
});

/** Whether an account without this member would have nobody who can appoint owners. */
export const isLastOwner = (member: Member, all: readonly Member[]): boolean =>
  countsAsOwner(member) && !all.some((one) => one.id !== member.id && countsAsOwner(one));

const countsAsOwner = ({ role, last_seen_at }: Member): boolean =>
  role === 'owner' && last_seen_at !== null;

export const lastOwner = (): AppError =>
  new AppError('conflict', 'This is the last owner of the account. Make another one owner first');

export const tooManyMembers = (): AppError => tooMany('members', MEMBERS_MAX, 'account');

/** @throws AppError `conflict` when the role comes from a group */
export function refuseRoleOfGroup({ group }: Pick<Member, 'group'>): void {
  if (group !== null)
    throw new AppError(
      'conflict',
      `The role of this person comes from the group ${group} at the OpenID provider. Change it there`,
    );
}

/** @throws AppError `conflict` when the person signs in through the OpenID provider */
export function refuseLinkOfUser({ subject }: Pick<Member, 'subject'>): void {
  if (subject !== null)
    throw new AppError('conflict', 'This person signs in through the OpenID provider');
}
