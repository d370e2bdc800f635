/**
 * The Kubernetes resource that owns a record. Changes must be made there; the API refuses them with
 * 409.
 */
import { z } from 'zod';

import { describeSchema } from './api-reference.ts';
import { AppError } from '../error/app-error.ts';

export const ManagedBy = z.object({
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
  uid: z.string().describe('distinguishes a resource from a later one of the same name'),
});
export type ManagedBy = z.infer<typeof ManagedBy>;

/** As the API shows it. */
export const ManagedByView = ManagedBy.omit({ uid: true });
describeSchema(ManagedByView, 'ManagedBy');

export const managedByView = (
  owner: ManagedBy | undefined,
): z.infer<typeof ManagedByView> | null =>
  owner ? { kind: owner.kind, namespace: owner.namespace, name: owner.name } : null;

/** `InboundAddress shop/orders`. */
export const managerName = ({ kind, namespace, name }: Omit<ManagedBy, 'uid'>): string =>
  `${kind} ${namespace}/${name}`;

/** @throws AppError `conflict` when the record has an owner */
export function refuseManaged(what: string, owner: ManagedBy | undefined): void {
  if (owner !== undefined)
    throw new AppError(
      'conflict',
      `This ${what} belongs to the Kubernetes resource ${managerName(owner)}. Change that resource instead`,
    );
}
