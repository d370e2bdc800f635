/** A cause of an incident: how to recognize it, how likely it is the first one, and its runbook. */
import { type Facts, gained } from './facts.ts';

/** What is checked, in the order of the output. */
export const AREAS = [
  'pods',
  'nodes',
  'disks',
  'servers',
  'clocks',
  'certificates',
  'dns',
  'mx',
  'receiving',
  'queues',
  'stuck emails',
  'receivers',
  'resources',
  'jobs',
] as const;
export type Area = (typeof AREAS)[number];

export type Cause = {
  id: string;
  area: Area;
  /** 0 to 100. What breaks other things, or stops all email, is above what follows from it. */
  weight: number;
  /** The path of a page below `docs/`, without `.md`. */
  page: string;
  /** Sentences with what was seen; empty when this is not a cause. */
  signs: (facts: Facts) => string[];
  /** Ids of causes that follow from this one, so they are not reported separately. */
  explains?: readonly string[];
};

/** From this weight on, something does not work. Below, it works, but not well or not for long. */
export const FAILED_WEIGHT = 50;

export const runbook = (alert: string): string => `runbooks/${alert}`;

/** The sign, if the claim is true. */
export const when = (claim: boolean, sign: string): string[] => (claim ? [sign] : []);

export const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** A cause that a counter shows. */
export const counted = (
  id: string,
  metric: string,
  labels: Record<string, string>,
  rest: Pick<Cause, 'area' | 'weight' | 'page' | 'explains'> & { what: string },
): Cause => ({
  id,
  ...rest,
  signs: (facts) => {
    const count = gained(facts, metric, labels);
    return when(count > 0, `${rest.what}: ${count}`);
  },
});

/** What follows when NATS is away. */
export const FOLLOWS_FROM_NATS = [
  'nats-disconnected',
  'jetstream-unavailable',
  'copies-behind',
  'mail-deferred',
  'queue-old',
  'unready',
];
export const FOLLOWS_FROM_MONGODB = ['mongodb-disconnected', 'queue-old', 'unready'];
