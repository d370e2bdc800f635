/** From facts to findings and the most likely causes. Pure. */
import { failed, type Finding, ok, skipped, warning } from '../../doctor/finding.ts';
import { AREAS, type Area, type Cause, FAILED_WEIGHT } from './cause.ts';
import { EMAIL_CAUSES } from './email-causes.ts';
import { type ErrorKind, type Facts, greatest, probed, samples } from './facts.ts';
import { certificates, PLATFORM_CAUSES } from './platform-causes.ts';
import { POD_CAUSES } from './pod-causes.ts';
import { UPKEEP_CAUSES } from './upkeep-causes.ts';

type LikelyCause = { id: string; page: string; signs: string[] };

export type Diagnosis = {
  findings: Finding[];
  /** The most likely first; at most three. */
  causes: LikelyCause[];
  errors: ErrorKind[];
  warnings: Facts['warnings'];
};

export const CAUSES: readonly Cause[] = [
  ...POD_CAUSES,
  ...PLATFORM_CAUSES,
  ...EMAIL_CAUSES,
  ...UPKEEP_CAUSES,
];

const CAUSES_SHOWN = 3;
const ERRORS_SHOWN = 10;
/** Areas about which only a pod of Inlet can tell. */
const NEED_PODS: readonly Area[] = [
  'servers',
  'clocks',
  'dns',
  'mx',
  'receiving',
  'queues',
  'stuck emails',
  'receivers',
];

type Found = { cause: Cause; signs: string[] };

export function diagnose(facts: Facts): Diagnosis {
  const found = CAUSES.map((cause) => ({ cause, signs: cause.signs(facts) })).filter(
    ({ signs }) => signs.length > 0,
  );
  return {
    findings: [
      ...AREAS.flatMap((area) => findingsOf(area, facts, found)),
      ...facts.unread.map(({ area, why }) => skipped(area, why)),
    ],
    causes: likeliest(found)
      .slice(0, CAUSES_SHOWN)
      .map(({ cause: { id, page }, signs }) => ({ id, page: `docs/${page}.md`, signs })),
    errors: facts.errors.slice(0, ERRORS_SHOWN),
    warnings: facts.warnings,
  };
}

/** Without those that follow from a heavier one. */
function likeliest(found: readonly Found[]): Found[] {
  const explained = new Set<string>();
  return found
    .toSorted((one, other) => other.cause.weight - one.cause.weight)
    .filter(({ cause }) => {
      if (explained.has(cause.id)) return false;
      for (const id of cause.explains ?? []) explained.add(id);
      return true;
    });
}

function findingsOf(area: Area, facts: Facts, found: readonly Found[]): Finding[] {
  const here = found.filter(({ cause }) => cause.area === area);
  if (here.length > 0)
    return here.map(({ cause: { weight, page }, signs }) =>
      (weight >= FAILED_WEIGHT ? failed : warning)(area, signs.join('; '), `docs/${page}.md`),
    );
  if (NEED_PODS.includes(area) && probed(facts).length === 0)
    return [skipped(area, 'no pod of Inlet could be asked')];
  if ((area === 'mx' || area === 'dns') && facts.domain === null)
    return [skipped(area, 'the installation has no inbound domain')];
  if (facts.unread.some((one) => one.area === area)) return []; // the end of the list says so
  return [ok(area, SUMMARIES[area](facts))];
}

const SUMMARIES: Record<Area, (facts: Facts) => string> = {
  pods: ({ pods }) => `${pods.length} are ready`,
  nodes: ({ nodes }) => `${nodes.length} are ready`,
  disks: ({ volumes }) =>
    volumes.length === 0
      ? 'the streams have room'
      : `the fullest of ${volumes.length} volumes is ${Math.round(
          Math.max(...volumes.map(({ used, capacity }) => used / capacity)) * 100,
        )} % full`,
  servers: () => 'NATS and MongoDB are connected',
  clocks: () => 'agree within a second',
  certificates: (facts) => {
    const first = Math.min(...certificates(facts).map(({ validToMs }) => validToMs));
    return Number.isFinite(first)
      ? `the first one expires on ${new Date(first).toISOString().slice(0, 10)}`
      : 'there are none';
  },
  dns: (facts) => `responds to ${probed(facts).length} pods`,
  mx: (facts) => {
    const [seen] = probed(facts).flatMap(({ probe }) => probe.mail ?? []);
    return `${facts.domain}: ${seen?.hosts.map(({ name }) => name).join(', ') ?? 'not asked'}`;
  },
  receiving: () => 'no email was refused for a reason on our side while this looked',
  queues: (facts) => {
    const first = Math.round(greatest(facts, 'inlet_queue_age_seconds', { lane: 'mail' }));
    const retry = Math.round(greatest(facts, 'inlet_queue_age_seconds', { lane: 'retry' }));
    return `the oldest email waits for ${first} s; among retries, for ${retry} s`;
  },
  'stuck emails': () => 'none was found while this looked',
  receivers: (facts) =>
    samples(facts, 'inlet_failing_addresses').length === 0
      ? 'no API could be asked'
      : 'none has failed for long',
  resources: ({ resources }) => `${resources.length} are ready`,
  jobs: () => 'none has failed',
};
