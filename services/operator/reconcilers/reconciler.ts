/**
 * What each kind provides: how to make its record what the resource asks for, step by step, and how
 * to delete it. The pure functions of core/kube decide the steps, from the facts that are gathered
 * here before each of them.
 */
import { AppError } from '../../core/error/app-error.ts';
import type { Address } from '../../core/address/address.ts';
import type { Owned } from '../../core/address/scope.ts';
import type { ManagedBy } from '../../core/resource/managed-by.ts';
import type { Verdict } from '../../core/kube/condition.ts';
import type { KindName } from '../../core/kube/custom-resource.ts';
import type { AddressCause } from '../../platform/address/address-operations.ts';
import type { CustomResource, SpecOf } from '../cluster/resource.ts';

/** Conditions. `Verified` and `MtaSts` are of an InboundDomain. */
export type Verdicts = { Ready: Verdict; Verified?: Verdict; MtaSts?: Verdict };

/** The result for the status: its fields, and its conditions, always with `Ready`. */
type Settled = {
  /** The Secret that the resource should have. */
  secret?: { name: string; content: Record<string, string> };
  fields: Record<string, unknown>;
  verdicts: Verdicts;
  /** When to reconcile again without a change in the cluster. */
  againAfterMs?: number;
};

export type Reconciler<K extends KindName> = {
  /**
   * Does what the spec asks for. @throws RefusalError when that is impossible, any other error when
   * it fails for now
   */
  settle(wanted: Wanted<K>): Promise<Settled>;
  /** Deletes what the resource owns. The spec is as it is in the cluster. Returns a verdict when that must wait. */
  remove(owner: ManagedBy, spec: unknown): Promise<Verdict | undefined | void>;
};

export type Wanted<K extends KindName> = {
  spec: SpecOf<K>;
  owner: ManagedBy;
  /** As the operator, or somebody else, wrote it last. */
  status: NonNullable<CustomResource['status']>;
  generation: number | undefined;
};

/** The id of the account of an Account resource; `undefined` before it exists. */
export type AccountOf = (
  owner: ManagedBy,
  spec: { accountRef: { name: string } },
) => Promise<string | undefined>;

/** The address of an InboundAddress resource; `undefined` before it exists. */
export type AddressOf = (
  owner: ManagedBy,
  spec: { addressRef: { name: string } },
) => Promise<Address | undefined>;

/** The cause of a change that a resource asks for, which its event names. */
export type CauseOf = (owner: ManagedBy, scope: Owned) => AddressCause;

type AnyStep = { kind: string };
type Settling<S> = Extract<S, { kind: 'settled' }>;
type Steps<R, S extends AnyStep> = {
  find: () => Promise<R | undefined>;
  next: (record: R | undefined) => S;
  /** Steps that create the record do not get one. */
  act: {
    [Kind in Exclude<S['kind'], 'settled'>]: (
      step: Extract<S, { kind: Kind }>,
      record: R,
    ) => Promise<unknown>;
  };
};

/** More than any resource needs, unless something else changes its record back. */
const MAX_STEPS = 8;

/** Takes the next step until the record is what the resource asks for. */
export async function runSteps<R, S extends AnyStep>({
  find,
  next,
  act,
}: Steps<R, S>): Promise<{ record: R | undefined; step: Settling<S> }> {
  for (let i = 0; i < MAX_STEPS; i++) {
    const record = await find();
    const step = next(record);
    if (step.kind === 'settled') return { record, step: step as Settling<S> };
    const take = act[step.kind as keyof typeof act] as (step: S, record?: R) => Promise<unknown>;
    await take(step, record);
  }
  throw new Error(`the resource did not settle in ${MAX_STEPS} steps`);
}

/** Runs a removal. What is gone already counts as removed. */
export async function unlessGone(removal: () => Promise<void>): Promise<void> {
  try {
    await removal();
  } catch (error) {
    if (!(error instanceof AppError && error.kind === 'not_found')) throw error;
  }
}
