/** What an API token may do (D10). */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';

/**
 * What `deliveries:write` consists of (D359): who works through emails needs not decide which are
 * delivered, and may not erase them.
 */
export const DELIVERY_PARTS = [
  'deliveries:consume',
  'deliveries:decide',
  'deliveries:erase',
] as const;

export const PERMISSIONS = [
  'addresses:read',
  'addresses:write',
  'domains:read',
  'domains:write',
  'deliveries:read',
  'deliveries:write',
  ...DELIVERY_PARTS,
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

type DeliveryPart = (typeof DELIVERY_PARTS)[number];
const isDeliveryPart = (one: Permission): one is DeliveryPart =>
  (DELIVERY_PARTS as readonly Permission[]).includes(one);

/** `deliveries:write` and all of its parts are the same: who has the one has the other. */
export function withDeliveryParts(permissions: readonly Permission[]): Permission[] {
  const isWhole =
    permissions.includes('deliveries:write') ||
    DELIVERY_PARTS.every((part) => permissions.includes(part));
  if (!isWhole) return [...permissions];
  const whole: readonly Permission[] = ['deliveries:write', ...DELIVERY_PARTS];
  return [...new Set(permissions.flatMap((one) => (whole.includes(one) ? whole : [one])))];
}

/**
 * Permissions as stored. Newer ones have fields of their own, because older releases reject unknown
 * names. In older records the fields are absent: such a token may read the secrets of whatever it may
 * read.
 */
export type StoredPermissions = {
  permissions: Permission[];
  reads_secrets?: boolean | undefined;
  submits_mail?: boolean | undefined;
  delivery_permissions?: DeliveryPart[] | undefined;
  /** Limited tokens store their permissions here and leave `permissions` empty, so older releases grant them none. */
  limited_permissions?: Permission[] | undefined;
};

const LATER: readonly Permission[] = ['secrets:read', 'mail:submit'];

export function storedPermissions(
  permissions: readonly Permission[],
  isLimited: boolean,
): StoredPermissions {
  const all = withDeliveryParts(permissions);
  const known = all.filter((one) => !isDeliveryPart(one));
  const delivery_permissions = all.filter(isDeliveryPart);
  return isLimited
    ? { permissions: [], reads_secrets: false, limited_permissions: known, delivery_permissions }
    : {
        permissions: known.filter((one) => !LATER.includes(one)),
        reads_secrets: known.includes('secrets:read'),
        submits_mail: known.includes('mail:submit'),
        delivery_permissions,
      };
}

const WITH_SECRETS_BEFORE: readonly Permission[] = ['addresses:read', 'account:read'];

/** What a token may do. */
export const permissionsOf = ({
  permissions,
  reads_secrets = permissions.some((one) => WITH_SECRETS_BEFORE.includes(one)),
  submits_mail = false,
  delivery_permissions = [],
  limited_permissions = [
    ...permissions,
    ...(reads_secrets ? (['secrets:read'] as const) : []),
    ...(submits_mail ? (['mail:submit'] as const) : []),
  ],
}: StoredPermissions): Permission[] =>
  withDeliveryParts([...limited_permissions, ...delivery_permissions]);
