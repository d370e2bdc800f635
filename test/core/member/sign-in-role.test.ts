/** What a sign-in through the OpenID provider makes of the members of an account (D75). */
import { expect, test } from 'vitest';

import type { Member } from '../../../services/core/member/member.ts';
import { signInStep } from '../../../services/core/member/sign-in-role.ts';

const member = (id: string, group: string | null): Member => ({
  id,
  account_id: 'acc_1',
  name: id,
  subject: id,
  role: 'viewer',
  group,
  created_at: new Date(0),
  last_seen_at: null,
});
const ann = { user: 'ann@example.com', subject: 'sub-1', groups: ['staff'] };
const staff = [{ group: 'staff', role: 'viewer' as const }];
const listed = member('ann@example.com', null);
const admitted = member('sub-1', 'staff');

test('a person who is listed by email and was admitted by a group is the listed member', () => {
  for (const members of [
    [listed, admitted],
    [admitted, listed],
  ])
    expect(signInStep(ann, members, staff)).toEqual({
      kind: 'known',
      member: listed,
      admitted: [admitted],
    });
  expect(signInStep(ann, [listed], staff)).toEqual({
    kind: 'known',
    member: listed,
    admitted: [],
  });
});

test('without a listed member, the group decides', () => {
  expect(signInStep(ann, [], staff)).toMatchObject({ kind: 'admit', subject: 'sub-1' });
  expect(signInStep(ann, [admitted], staff)).toMatchObject({ kind: 'change', member: admitted });
  expect(signInStep(ann, [admitted], [])).toEqual({ kind: 'dismiss', member: admitted });
});
