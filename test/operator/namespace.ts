/** A namespace of a test, with what a user of the cluster does there. */
import { randomBytes } from 'node:crypto';

import type { Document } from 'mongodb';

import type { KindName } from '../../services/core/kube/custom-resource.ts';
import type { Result } from '../../services/operator/reconcilers/reconcile.ts';
import { definitionOf } from '../support/kube-api/definitions.ts';
import type { Json } from '../support/kube-api/merging.ts';
import type { Place, Sent, Stored } from '../support/kube-api/objects.ts';
import { account, type Manifest } from '../support/manifests.ts';
import type { Operator, OperatorBed } from './operator-bed.ts';

export type TestNamespace = {
  name: string;
  /** Lets the operator of the test reconcile a resource. */
  reconcile(kind: KindName, name: string, how?: How): Promise<Result>;
  /** Applies resources and reconciles each. */
  settle(...manifests: Manifest[]): Promise<void>;
  /** Has an Account `shop`, which is reconciled. */
  withAccount(spec?: object): Promise<void>;
  /** Creates the resource, or changes the one of its name. */
  apply(manifest: Manifest): Stored;
  get(kind: string, name: string): Stored | undefined;
  patch(kind: string, name: string, patch: Json): Stored;
  delete(kind: string, name: string): void;
  /** The content of a Secret, as text. */
  secret(name: string): Record<string, string> | undefined;
  /** Names of all Secrets. */
  secrets(): string[];
  /** `True Ready`: status and reason of a condition. */
  condition(kind: string, name: string, type?: string): string | undefined;
  message(kind: string, name: string): string | undefined;
  /** Reasons of all Kubernetes events, in order. */
  events(): string[];
  /** The records that resources of this namespace own. */
  records(collection: string): Promise<Document[]>;
  /** Types of the audit events of the accounts here, in alphabetical order. */
  audited(): Promise<string[]>;
  /** The data of their audit events of a type, oldest first. */
  changes(type: string): Promise<Record<string, unknown>[]>;
};

type How = Parameters<Operator['reconcile']>[3];
type Condition = { type: string; status: string; reason: string; message: string };

/** @param operator of this process; other ones hear of changes by themselves */
export function createNamespace(
  { kube, mongo }: Pick<OperatorBed, 'kube' | 'mongo'>,
  operator?: Operator,
): TestNamespace {
  const namespace = `test-${randomBytes(4).toString('hex')}`;
  const place = (kind: string, name: string): Place => ({
    definition: definitionOf(kind),
    namespace,
    name,
  });
  const all = (kind: string) =>
    kube.objects.all(definitionOf(kind)).filter(({ metadata }) => metadata.namespace === namespace);
  const records = (collection: string) =>
    mongo.db.collection(collection).find({ 'managed_by.namespace': namespace }).toArray();
  const auditTrail = async () => {
    const accounts = await records('accounts');
    const ofThem = { account_id: { $in: accounts.map(({ _id }) => _id) } };
    return mongo.db.collection('events').find(ofThem).sort({ _id: 1 }).toArray();
  };
  const get = (kind: string, name: string) => kube.objects.find(place(kind, name));
  const conditionOf = (kind: string, name: string, type: string) =>
    (get(kind, name)?.status?.conditions as Condition[] | undefined)?.find(
      (one) => one.type === type,
    );
  const apply = (manifest: Manifest) => {
    const sent = manifest as unknown as Sent;
    const where = place(sent.kind ?? '', sent.metadata.name ?? '');
    return kube.objects.find(where) === undefined
      ? kube.verbs.create(where, sent)
      : kube.verbs.merge(where, manifest);
  };
  const reconcile = async (kind: KindName, name: string, how?: How) => {
    if (operator === undefined) throw new Error('no operator to reconcile with');
    return operator.reconcile(kind, namespace, name, how);
  };
  const settle = async (...manifests: Manifest[]) => {
    for (const { kind, metadata } of manifests.map(apply))
      await reconcile(kind as KindName, metadata.name);
  };
  return {
    name: namespace,
    get,
    reconcile,
    settle,
    withAccount: (spec) => settle(account('shop', { email: `shop@${namespace}.example`, ...spec })),
    apply,
    patch: (kind, name, patch) => kube.verbs.merge(place(kind, name), patch),
    delete: (kind, name) => void kube.objects.remove(place(kind, name)),
    secret: (name) => {
      const data = get('Secret', name)?.data;
      return (
        data &&
        Object.fromEntries(
          Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]),
        )
      );
    },
    secrets: () => all('Secret').map(({ metadata }) => metadata.name),
    condition: (kind, name, type = 'Ready') => {
      const found = conditionOf(kind, name, type);
      return found && `${found.status} ${found.reason}`;
    },
    message: (kind, name) => conditionOf(kind, name, 'Ready')?.message,
    events: () =>
      all('Event')
        .toSorted((one, other) => versionOf(one) - versionOf(other))
        .map((event) => (event as Stored & { reason: string }).reason),
    records,
    audited: async () => (await auditTrail()).map(({ type }) => type as string).toSorted(),
    changes: async (type) =>
      (await auditTrail())
        .filter((event) => event.type === type)
        .map(({ data }) => data as Record<string, unknown>),
  };
}

const versionOf = ({ metadata }: Stored) => Number(metadata.resourceVersion);
