import { expect, test } from 'vitest';

import { PERMISSIONS } from '../../../services/core/token/permission.ts';
import {
  firstRole,
  requireRole,
  ROLE_PERMISSIONS,
  ROLES,
  withinRole,
} from '../../../services/core/member/role.ts';

const givenBy = (held: readonly (typeof PERMISSIONS)[number][]) =>
  ROLES.filter((role) => {
    try {
      requireRole(held, role);
      return true;
    } catch {
      return false;
    }
  });

test('L.2: an owner may do everything, a viewer only reads, and only some see secrets', () => {
  expect(ROLE_PERMISSIONS.owner).toEqual(PERMISSIONS);
  for (const role of ['viewer', 'billing'] as const)
    for (const permission of ROLE_PERMISSIONS[role]) expect(permission).toMatch(/:read$/);
  expect(ROLES.filter((role) => ROLE_PERMISSIONS[role].includes('secrets:read'))).toEqual([
    'owner',
    'admin',
    'developer',
  ]);
  for (const role of ROLES)
    expect(new Set(ROLE_PERMISSIONS[role]).size).toBe(ROLE_PERMISSIONS[role].length);
});

test('L.2: each role can be given by who has all of its permissions', () => {
  expect(givenBy(ROLE_PERMISSIONS.owner)).toEqual([...ROLES]);
  expect(givenBy(ROLE_PERMISSIONS.admin)).toEqual(['admin', 'developer', 'viewer']);
  expect(givenBy(ROLE_PERMISSIONS.billing)).toEqual(['billing']);
  expect(givenBy([])).toEqual([]);
});

test('permissions within a role, and the first of several roles', () => {
  expect(withinRole(['addresses:read', 'addresses:write'], 'viewer')).toEqual(['addresses:read']);
  expect(firstRole(['billing', 'viewer', 'admin'])).toBe('admin');
  expect(firstRole([])).toBeUndefined();
});
