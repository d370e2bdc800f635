/**
 * Custom resources as the Kubernetes API returns them, and the facts about them that rules need.
 */
import type { z } from 'zod';

import type { KubeObject } from '../../adapters/kube/client.ts';
import type { ManagedBy } from '../../core/resource/managed-by.ts';
import type { ResourceFacts } from '../../core/kube/cluster-rules.ts';
import { RefusalError } from '../../core/kube/condition.ts';
import { firstIssueText, issueText } from '../../core/error/issue-text.ts';
import { API_VERSION, type KindName, KINDS } from '../../core/kube/custom-resource.ts';
import type { Condition } from '../../core/kube/spec/spec-fields.ts';

type CommonStatus = {
  observedGeneration?: number | undefined;
  conditions?: Condition[] | undefined;
};
/**
 * `spec` is unknown: a cluster with CRDs of another version may have accepted other fields.
 * `specOf` parses it.
 */
export type CustomResource = KubeObject & {
  spec?: unknown;
  status?: CommonStatus & Record<string, unknown>;
};

/** The spec of a kind. */
export type SpecOf<K extends KindName> = z.infer<(typeof KINDS)[K]['spec']>;

export const FINALIZER = 'inlet.email/operator';
/** Names the operator as the owner of fields in server-side apply. */
export const FIELD_MANAGER = 'inlet-operator';

export const ownerOf = (
  kind: KindName,
  { metadata: { namespace, name, uid } }: CustomResource,
): ManagedBy => ({ kind, namespace, name, uid });

/** Makes the garbage collector delete the object together with this resource. */
export const ownerReference = ({ kind, name, uid }: ManagedBy) => ({
  apiVersion: API_VERSION,
  kind,
  name,
  uid,
  controller: true,
});

export function factsOf(kind: KindName, { metadata, spec, status }: CustomResource): ResourceFacts {
  const {
    accountRef,
    addressRef,
    localPart = '',
    domain = '',
  } = (spec ?? {}) as {
    accountRef?: { name?: string };
    addressRef?: { name?: string };
    localPart?: string;
    domain?: string;
  };
  const asksForName = kind === 'InboundAddress' && localPart + domain !== '';
  return {
    kind,
    namespace: metadata.namespace,
    name: metadata.name,
    uid: metadata.uid,
    generation: metadata.generation,
    isDeleting: metadata.deletionTimestamp !== undefined,
    account: accountRef?.name,
    address: addressRef?.name,
    addressWanted: asksForName ? `${localPart}@${domain}`.toLowerCase() : undefined,
    id: status?.id as string | undefined,
    reason: status?.conditions?.find(({ type }) => type === 'Ready')?.reason,
  };
}

/** @throws RefusalError naming the first field that this version of the operator cannot read */
export function specOf<K extends KindName>(kind: K, { spec }: CustomResource): SpecOf<K> {
  const parsed = KINDS[kind].spec.safeParse(spec, { error: issueText });
  if (parsed.success) return parsed.data as SpecOf<K>;
  throw new RefusalError('InvalidSpec', firstIssueText(parsed.error, 'spec'));
}
