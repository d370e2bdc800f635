/** A person of an account (D75): the record, and its form in the API. */
import { z } from 'zod';

import { describeSchema, EXAMPLE, exampleOf } from '../resource/api-reference.ts';
import { AppError } from '../error/app-error.ts';
import { ManagedBy, ManagedByView, managedByView } from '../resource/managed-by.ts';
import { CREATED_AT } from '../resource/field-kinds.ts';
import { type Fields, shapeOf } from '../resource/field.ts';
import type { Resource } from '../resource/resource.ts';
import { textField } from '../resource/text-field.ts';
import { shownFields, viewOfFields } from '../resource/view.ts';
import { Timestamp } from '../time/timestamp.ts';
import { Permission } from '../token/permission.ts';
import { Role, ROLE_PERMISSIONS } from './role.ts';
import { dashboardUrl, EXAMPLE_CODE } from './session.ts';

const MEMBER_NAME_MAX_CHARS = 100;
/** How long a link for a person works, at most and by default: seven days. */
const MEMBER_LINK_MAX_SECONDS = 604_800;

const Name = textField({ minChars: 1, maxChars: MEMBER_NAME_MAX_CHARS });

export const LinkSeconds = z
  .int()
  .min(60)
  .max(MEMBER_LINK_MAX_SECONDS)
  .default(MEMBER_LINK_MAX_SECONDS)
  .describe('how long the link works; default: seven days');

const fields = {
  name: {
    record: z.string(),
    view: z.string(),
    create: Name.describe('how the list of people and the events name the person'),
    change: Name.optional(),
    inEvents: 'every',
    example: 'Ann Example',
  },
  role: {
    record: Role,
    view: Role,
    create: Role,
    change: Role.optional(),
    inEvents: 'every',
    example: 'developer',
  },
  permissions: {
    view: z.array(Permission).describe('what the role may do'),
    example: [...ROLE_PERMISSIONS.developer],
  },
  subject: {
    record: z.string().nullable(),
    view: z
      .string()
      .nullable()
      .describe(
        'the user at the OpenID provider: the claim sub, or a verified email address; null for a ' +
          'person who signs in with links',
      ),
    inEvents: 'every',
    example: null,
  },
  group: {
    record: z.string().nullable(),
    view: z
      .string()
      .nullable()
      .describe('the group at the OpenID provider that gives the role; null: the role is set here'),
    inEvents: 'every',
    example: null,
  },
  created_at: CREATED_AT,
  last_seen_at: {
    record: z.date().nullable(),
    view: Timestamp.nullable().describe(
      'last use of the dashboard, accurate to the minute; null before the first sign-in',
    ),
    example: EXAMPLE.now,
  },
  link_expires_at: {
    view: Timestamp.nullable().describe(
      'until then, a link that was made for this person can be used; null when there is none',
    ),
    example: null,
  },
  link_expires_in_seconds: { create: LinkSeconds },
  managed_by: {
    record: ManagedBy.optional(),
    view: ManagedByView.nullable().describe(
      'the Kubernetes resource that lists this person; null for none',
    ),
    example: null,
  },
} as const satisfies Fields;

export const MEMBER = {
  name: 'member',
  plural: 'members',
  idPrefix: 'member',
  /** The `member_id` of an event is the member who made the change. */
  idInEvents: () => 'target_member_id',
  owner: 'account',
  maximum: 1_000,
  fields,
} as const satisfies Resource;

export const Member = z.object({
  id: z.string(),
  account_id: z.string(),
  ...shapeOf(fields, 'record'),
});
export type Member = z.infer<typeof Member>;
export type MemberChange = Partial<Pick<Member, 'name' | 'role' | 'group'>>;

export const MemberView = viewOfFields('Member', EXAMPLE.member_id, fields);
export type MemberView = z.infer<typeof MemberView>;

/** @param linkExpiresAt of the link for this person that was not used yet; undefined for none */
export const memberView = (member: Member, linkExpiresAt: Date | undefined): MemberView => ({
  id: member.id,
  ...shownFields(fields, {
    ...member,
    permissions: [...ROLE_PERMISSIONS[member.role]],
    link_expires_at: linkExpiresAt,
    managed_by: managedByView(member.managed_by),
  }),
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

/** Whether an account without this member would have nobody who can appoint owners. */
export const isLastOwner = (member: Member, all: readonly Member[]): boolean =>
  countsAsOwner(member) && !all.some((one) => one.id !== member.id && countsAsOwner(one));

const countsAsOwner = ({ role, last_seen_at }: Member): boolean =>
  role === 'owner' && last_seen_at !== null;

export const lastOwner = (): AppError =>
  new AppError('conflict', 'This is the last owner of the account. Make another one owner first');

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
