/** The roles of the people of an account (D75): each is a named set of permissions. */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import { AppError } from '../error/app-error.ts';
import { DELIVERY_PARTS, type Permission, PERMISSIONS } from '../token/permission.ts';

/** From the one that may do most; an OpenID user with several groups has the first of their roles. */
export const ROLES = ['owner', 'admin', 'developer', 'viewer', 'billing'] as const;

export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;
describeSchema(Role, 'Role');

const VIEWED: readonly Permission[] = [
  'addresses:read',
  'domains:read',
  'deliveries:read',
  'usage:read',
  'account:read',
];

export const ROLE_PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  owner: PERMISSIONS,
  admin: PERMISSIONS.filter((one) => one !== 'billing:read'),
  developer: [
    ...VIEWED,
    'addresses:write',
    'domains:write',
    'deliveries:write',
    ...DELIVERY_PARTS,
    'tokens:read',
    'secrets:read',
    'mail:submit',
  ],
  viewer: VIEWED,
  billing: ['usage:read', 'billing:read', 'account:read'],
};

/** The permissions that the role has, too. */
export const withinRole = (permissions: readonly Permission[], role: Role): Permission[] =>
  permissions.filter((one) => ROLE_PERMISSIONS[role].includes(one));

/**
 * For who gives a role, changes it, or takes it away: the caller needs all its permissions.
 * @throws AppError `forbidden`
 */
export function requireRole(held: readonly Permission[], role: Role): void {
  const missing = ROLE_PERMISSIONS[role].filter((one) => !held.includes(one));
  if (missing.length > 0)
    throw new AppError(
      'forbidden',
      `The role ${role} has permissions that you do not have: ${missing.join(', ')}`,
    );
}

/** The role of these that comes first in {@link ROLES}; undefined for none. */
export const firstRole = (roles: readonly Role[]): Role | undefined =>
  ROLES.find((role) => roles.includes(role));
