/** What an API token may do (D10). */
import { z } from 'zod';

import { describeSchema } from '../api-reference.ts';
export const PERMISSIONS = [
  'addresses:read',
  'addresses:write',
  'domains:read',
  'domains:write',
  'deliveries:read',
  'deliveries:write',
  'usage:read',
  'billing:read',
  'account:read',
  'account:write',
  'tokens:read',
  'tokens:write',
  'secrets:read',
] as const;

export const Permission = z.enum(PERMISSIONS);
export type Permission = z.infer<typeof Permission>;
describeSchema(Permission, 'Permission');

/**
 * As the record of a token has them: `secrets:read` apart, because releases without it refuse its
 * name. Absent in their records: those may read secrets if they may read what these belong to.
 */
export type StoredPermissions = { permissions: Permission[]; reads_secrets?: boolean | undefined };

export const storedPermissions = (permissions: readonly Permission[]): StoredPermissions => ({
  permissions: permissions.filter((one) => one !== 'secrets:read'),
  reads_secrets: permissions.includes('secrets:read'),
});

const WITH_SECRETS_BEFORE: readonly Permission[] = ['addresses:read', 'account:read'];

/** What a token may do. */
export const permissionsOf = ({
  permissions,
  reads_secrets = permissions.some((one) => WITH_SECRETS_BEFORE.includes(one)),
}: StoredPermissions): Permission[] =>
  reads_secrets ? [...permissions, 'secrets:read'] : permissions;
