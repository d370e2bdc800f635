/** What `kubectl inlet doctor` knows about an installation. The causes are decided from this alone. */
import { samplesOf } from '../cluster/metrics-text.ts';

/** What a pod found out about itself, from inside. Times are in milliseconds since 1970. */
export type Probe = {
  isReady: boolean;
  /** The texts of /metrics, `seconds` apart. */
  before: string;
  metrics: string;
  seconds: number;
  /** The MX records of the inbound domain, as this pod sees them; null without such a domain. */
  mail: { hosts: { name: string; addresses: string[] }[]; fault: string | null } | null;
};

export type Pod = {
  name: string;
  /** The label: gateway, dispatcher, api, operator, nats, mongodb. */
  component: string;
  isReady: boolean;
  /** Why a container or the pod does not start: `ImagePullBackOff …`. */
  waiting: string | null;
  /** The end of a container in the last hour: OOMKilled, Error, `exit 1`. */
  ended: string | null;
  /** The line of the log in which the process says why it ended. */
  lastWords: string | null;
  /** null when it could not be asked. */
  probe: Probe | null;
};

/** Log lines of one kind from the last hour. */
export type ErrorKind = {
  component: string;
  event: string;
  level: string;
  count: number;
  /** The newest one: its time in ISO 8601, and its error. */
  last: string;
  error: string;
};

export type Facts = {
  nowMs: number;
  domain: string | null;
  workloads: { name: string; component: string; ready: number; wanted: number }[];
  pods: Pod[];
  resources: { kind: string; namespace: string; name: string; ready: string; reason: string }[];
  /** Volumes with their bytes. */
  volumes: { claim: string; used: number; capacity: number }[];
  claims: { name: string; phase: string }[];
  /** Those with a pod of Inlet. Problems are types of conditions, such as DiskPressure. */
  nodes: { name: string; problems: string[] }[];
  /** The certificates of TLS Secrets in the namespace. */
  certificates: { name: string; validToMs: number }[];
  failedJobs: string[];
  /** External addresses of the gateway's Service; null unless it has the type LoadBalancer. */
  gatewayAddresses: string[] | null;
  errors: ErrorKind[];
  /** Warnings of Kubernetes, newest first. */
  warnings: { object: string; reason: string; message: string }[];
  /** What could not be read, for which check, and why. */
  unread: { area: string; why: string }[];
};

type Labels = Readonly<Record<string, string>>;
type Probed = Pod & { probe: Probe };

export const probed = ({ pods }: Facts): Probed[] =>
  pods.filter((pod): pod is Probed => pod.probe !== null);

export const podsOf = ({ pods }: Facts, component: string): Pod[] =>
  pods.filter((pod) => pod.component === component);

/** The samples of a metric in all pods. */
export const samples = (facts: Facts, metric: string, labels?: Labels) =>
  probed(facts).flatMap((pod) =>
    samplesOf(pod.probe.metrics, metric, labels).map((sample) => ({ ...sample, pod })),
  );

/** The greatest value; 0 without any. Gauges of the streams are equal in every pod. */
export const greatest = (facts: Facts, metric: string, labels?: Labels): number =>
  Math.max(0, ...samples(facts, metric, labels).map(({ value }) => value));

const sum = (values: readonly { value: number }[]): number =>
  values.reduce((total, { value }) => total + value, 0);

/**
 * What a counter gained while the pods were asked. A counter of a process that started in the last
 * hour counts from its start.
 */
export const gained = (facts: Facts, metric: string, labels?: Labels): number =>
  probed(facts).reduce((total, { probe }) => {
    const [started = 0] = samplesOf(probe.metrics, 'process_start_time_seconds').map(
      ({ value }) => value,
    );
    const isNew = facts.nowMs - started * 1_000 < 3_600_000;
    const before = isNew ? 0 : sum(samplesOf(probe.before, metric, labels));
    return total + Math.max(0, sum(samplesOf(probe.metrics, metric, labels)) - before);
  }, 0);
