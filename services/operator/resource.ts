/** Custom resources as the operator has them in hand. */
import type { z } from 'zod';

import type { KubeObject } from '../adapters/kube/client.ts';
import { RefusalError } from '../core/kube/condition.ts';
import { API_VERSION, type KindName } from '../core/kube/custom-resource.ts';
import type { Condition } from '../core/kube/spec-fields.ts';
import type { ManagedBy } from '../core/account/managed-by.ts';

export type CommonStatus = {
  observedGeneration?: number | undefined;
  conditions?: Condition[] | undefined;
};
/** What stands in `spec` is parsed by whoever reads it: a definition of another version may have let it in. */
export type CustomResource = KubeObject & {
  spec?: unknown;
  status?: CommonStatus & Record<string, unknown>;
};

export const FINALIZER = 'inlet.email/operator';
/** Who said what is in a resource, in the books of server-side apply. */
export const FIELD_MANAGER = 'inlet-operator';

export const ownerOf = (
  kind: KindName,
  { metadata: { namespace, name, uid } }: CustomResource,
): ManagedBy => ({ kind, namespace, name, uid });

/** What an object that belongs to this resource says about it, so that it goes with it. */
export const ownerReference = ({ kind, name, uid }: ManagedBy) => ({
  apiVersion: API_VERSION,
  kind,
  name,
  uid,
  controller: true,
});

/** The name of the Account that a resource of another kind belongs to. */
export const accountNameOf = ({ spec }: CustomResource): string | undefined =>
  (spec as { accountRef?: { name?: string } } | undefined)?.accountRef?.name;

/** What two InboundAddresses may quarrel about; nothing of the kind is `@`. */
export function addressAskedFor({ spec }: CustomResource): string {
  const { localPart = '', domain = '' } = (spec ?? {}) as { localPart?: string; domain?: string };
  return `${localPart}@${domain}`.toLowerCase();
}

/** @throws RefusalError naming the first field that a definition of another version let in */
export function specOf<T>(schema: z.ZodType<T>, { spec }: CustomResource): T {
  const parsed = schema.safeParse(spec);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new RefusalError(
    'InvalidSpec',
    `${['spec', ...(issue?.path ?? [])].join('.')}: ${issue?.message}`,
  );
}
