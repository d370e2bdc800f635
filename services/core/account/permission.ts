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
] as const;

export const Permission = z.enum(PERMISSIONS);
export type Permission = z.infer<typeof Permission>;
describeSchema(Permission, 'Permission');
