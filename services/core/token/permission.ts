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
  'mail:submit',
] as const;

export const Permission = z.enum(PERMISSIONS);
export type Permission = z.infer<typeof Permission>;
describeSchema(Permission, 'Permission');

/**
 * Permissions as stored. Newer ones have fields of their own, because older releases reject unknown
 * names. In older records the fields are absent: such a token may read the secrets of whatever it may
 * read.
 */
export type StoredPermissions = {
  permissions: Permission[];
  reads_secrets?: boolean | undefined;
  submits_mail?: boolean | undefined;
  /** Limited tokens store their permissions here and leave `permissions` empty, so older releases grant them none. */
  limited_permissions?: Permission[] | undefined;
};

const LATER: readonly Permission[] = ['secrets:read', 'mail:submit'];

export const storedPermissions = (
  permissions: readonly Permission[],
  isLimited: boolean,
): StoredPermissions =>
  isLimited
    ? { permissions: [], reads_secrets: false, limited_permissions: [...permissions] }
    : {
        permissions: permissions.filter((one) => !LATER.includes(one)),
        reads_secrets: permissions.includes('secrets:read'),
        submits_mail: permissions.includes('mail:submit'),
      };

const WITH_SECRETS_BEFORE: readonly Permission[] = ['addresses:read', 'account:read'];

/** What a token may do. */
export const permissionsOf = ({
  permissions,
  reads_secrets = permissions.some((one) => WITH_SECRETS_BEFORE.includes(one)),
  submits_mail = false,
  limited_permissions,
}: StoredPermissions): Permission[] =>
  limited_permissions ?? [
    ...permissions,
    ...(reads_secrets ? (['secrets:read'] as const) : []),
    ...(submits_mail ? (['mail:submit'] as const) : []),
  ];
