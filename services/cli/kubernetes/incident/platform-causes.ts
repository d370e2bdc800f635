/** Causes around Inlet: disks, NATS, MongoDB, clocks, certificates, DNS and the load balancer. */
import { CLOCK_DIFFERS_MS, CLOCK_WRONG_MS } from '../../../core/servers/clocks.ts';
import {
  type Cause,
  FOLLOWS_FROM_MONGODB,
  FOLLOWS_FROM_NATS,
  percent,
  runbook,
  when,
} from './cause.ts';
import { type Facts, greatest, probed, samples } from './facts.ts';

const DAY_MS = 86_400_000;
const CERTIFICATE_DAYS = 14;
const VOLUME = { stops: 0.85, fills: 0.6 }; // JetStream of the chart stops at 85 %
const STREAM_NEARLY_FULL = 0.9;
const STORAGE_NEARLY_FULL = 0.85;

/** The sign for each backend that a pod has lost. */
const disconnected = (facts: Facts, backend: string): string[] => {
  const lost = samples(facts, 'inlet_backend_connected', { backend }).filter(
    ({ value }) => value === 0,
  );
  return when(
    lost.length > 0,
    `not connected: ${lost.map(({ pod }) => `pod ${pod.name}`).join(', ')}`,
  );
};

const clocks = (facts: Facts, fromMs: number, toMs: number): string[] =>
  samples(facts, 'inlet_clock_offset_seconds').flatMap(({ pod, labels, value }) =>
    when(
      Math.abs(value) * 1_000 > fromMs && Math.abs(value) * 1_000 <= toMs,
      `pod ${pod.name} is ${Math.abs(value)} s ${value < 0 ? 'behind' : 'ahead of'} ${labels.server}`,
    ),
  );

/** All certificates: those that pods serve, and those in Secrets. */
export const certificates = (facts: Facts): Facts['certificates'] => [
  ...samples(facts, 'inlet_tls_certificate_expiry_timestamp_seconds').map(({ pod, value }) => ({
    name: `the certificate of pod ${pod.name}`,
    validToMs: value * 1_000,
  })),
  ...facts.certificates.map(({ name, validToMs }) => ({ name: `Secret ${name}`, validToMs })),
];

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Names that pods could not look up: the DNS failed, whatever it has. */
const isOutage = (code: string): boolean => code !== 'ENODATA' && code !== 'ENOTFOUND';

const mailOf = (facts: Facts) =>
  probed(facts).flatMap(({ name, probe: { mail } }) =>
    mail === null ? [] : [{ pod: name, ...mail }],
  );

function leadsElsewhere(facts: Facts): string[] {
  const [seen] = mailOf(facts);
  const own = facts.gatewayAddresses?.filter((address) => /^[\d.]+$|:/.test(address)) ?? [];
  const found = seen?.hosts.flatMap(({ addresses }) => addresses) ?? [];
  return when(
    own.length > 0 && found.length > 0 && !found.some((address) => own.includes(address)),
    `the MX hosts of ${facts.domain} have ${found.join(', ')}, the Service of the gateway ${own.join(', ')}`,
  );
}

const volumes = ({ volumes: all }: Facts, from: number, below: number): string[] =>
  all
    .filter(({ used, capacity }) => used / capacity >= from && used / capacity < below)
    .map(({ claim, used, capacity }) => `volume ${claim} is ${percent(used / capacity)} full`);

export const PLATFORM_CAUSES: readonly Cause[] = [
  {
    id: 'claim',
    area: 'disks',
    weight: 97,
    page: 'install',
    signs: ({ claims }) =>
      claims
        .filter(({ phase }) => phase !== 'Bound')
        .map(({ name, phase }) => `claim ${name} has no volume: it is ${phase}`),
    explains: ['nats-pods', 'mongodb-pods', ...FOLLOWS_FROM_NATS, ...FOLLOWS_FROM_MONGODB],
  },
  {
    id: 'volume-full',
    area: 'disks',
    weight: 95,
    page: runbook('InletNatsVolumeFilling'),
    signs: (facts) => volumes(facts, VOLUME.stops, Infinity),
    explains: ['nats-pods', 'mongodb-pods', 'queue-full', 'storage-full', ...FOLLOWS_FROM_NATS],
  },
  {
    id: 'volume-fills',
    area: 'disks',
    weight: 40,
    page: runbook('InletNatsVolumeFilling'),
    signs: (facts) => volumes(facts, VOLUME.fills, VOLUME.stops),
  },
  {
    id: 'nats-disconnected',
    area: 'servers',
    weight: 82,
    page: runbook('InletNatsDisconnected'),
    signs: (facts) => disconnected(facts, 'nats').map((sign) => `NATS is ${sign}`),
    explains: FOLLOWS_FROM_NATS,
  },
  {
    id: 'mongodb-disconnected',
    area: 'servers',
    weight: 81,
    page: runbook('InletMongodbDisconnected'),
    signs: (facts) => disconnected(facts, 'mongodb').map((sign) => `MongoDB is ${sign}`),
    explains: FOLLOWS_FROM_MONGODB,
  },
  {
    id: 'jetstream-unavailable',
    area: 'servers',
    weight: 80,
    page: runbook('InletJetStreamUnavailable'),
    signs: (facts) =>
      when(
        probed(facts).some(({ component }) => component === 'gateway') &&
          samples(facts, 'inlet_dispatcher_backlog_mails').length === 0,
        'JetStream does not tell how long its queue is',
      ),
    explains: ['mail-deferred', 'unready'],
  },
  {
    id: 'copies-behind',
    area: 'servers',
    weight: 70,
    page: runbook('InletStreamCopiesBehind'),
    signs: (facts) => {
      const behind = samples(facts, 'inlet_stream_outdated_copies').filter(
        ({ value }) => value > 0,
      );
      const streams = [...new Set(behind.map(({ labels }) => labels.stream))];
      return when(streams.length > 0, `copies are not current of ${streams.join(', ')}`);
    },
  },
  {
    id: 'stream-full',
    area: 'disks',
    weight: 90,
    page: runbook('InletStreamNearlyFull'),
    signs: (facts) => {
      const names = samples(facts, 'inlet_stream_max_bytes').map(({ labels }) => labels.stream);
      return [...new Set(names)].flatMap((stream = '') => {
        const used = greatest(facts, 'inlet_stream_bytes', { stream });
        const share = used / greatest(facts, 'inlet_stream_max_bytes', { stream });
        return when(share > STREAM_NEARLY_FULL, `stream ${stream} is ${percent(share)} full`);
      });
    },
    explains: ['queue-full', 'mail-deferred'],
  },
  {
    id: 'storage-full',
    area: 'disks',
    weight: 91,
    page: runbook('InletJetStreamStorageNearlyFull'),
    signs: (facts) => {
      const used = greatest(facts, 'inlet_jetstream_storage_bytes');
      const share = used / greatest(facts, 'inlet_jetstream_storage_max_bytes');
      const isNearlyFull = Number.isFinite(share) && share > STORAGE_NEARLY_FULL;
      return when(isNearlyFull, `the storage of JetStream is ${percent(share)} full`);
    },
    explains: ['queue-full', 'stream-full', 'mail-deferred'],
  },
  {
    id: 'clock-wrong',
    area: 'clocks',
    weight: 92,
    page: runbook('InletClocksDiffer'),
    signs: (facts) => clocks(facts, CLOCK_WRONG_MS, Infinity),
    explains: ['unready'],
  },
  {
    id: 'clock-differs',
    area: 'clocks',
    weight: 45,
    page: runbook('InletClocksDiffer'),
    signs: (facts) => clocks(facts, CLOCK_DIFFERS_MS, CLOCK_WRONG_MS),
  },
  {
    id: 'certificate-expired',
    area: 'certificates',
    weight: 89,
    page: runbook('InletCertificateAlmostExpired'),
    signs: (facts) =>
      certificates(facts)
        .filter(({ validToMs }) => validToMs <= facts.nowMs)
        .map(({ name, validToMs }) => `${name} expired on ${dateOf(validToMs)}`),
  },
  {
    id: 'certificate-expires',
    area: 'certificates',
    weight: 35,
    page: runbook('InletCertificateExpiresSoon'),
    signs: (facts) =>
      certificates(facts)
        .filter(({ validToMs }) => validToMs > facts.nowMs)
        .filter(({ validToMs }) => validToMs - facts.nowMs < CERTIFICATE_DAYS * DAY_MS)
        .map(({ name, validToMs }) => `${name} expires on ${dateOf(validToMs)}`),
  },
  {
    id: 'dns',
    area: 'dns',
    weight: 87,
    page: runbook('InletLookupsFailing'),
    signs: (facts) => {
      const failing = mailOf(facts).filter(({ fault }) => fault !== null && isOutage(fault));
      const pods = failing.map(({ pod, fault }) => `pod ${pod} (${fault})`);
      return when(pods.length > 0, `the DNS does not respond to ${pods.join(', ')}`);
    },
  },
  {
    id: 'mx-missing',
    area: 'mx',
    weight: 86,
    page: runbook('InletNoMail'),
    signs: (facts) => {
      const seen = mailOf(facts).find(({ fault }) => fault === null || !isOutage(fault));
      if (seen === undefined) return [];
      if (seen.hosts.length === 0) return [`${facts.domain} has no MX record`];
      return seen.hosts
        .filter(({ addresses }) => addresses.length === 0)
        .map(({ name }) => `the MX host ${name} of ${facts.domain} has no address`);
    },
  },
  {
    id: 'mx-elsewhere',
    area: 'mx',
    weight: 48, // right where a mail filter or a proxy is in front of the gateway
    page: runbook('InletNoMail'),
    signs: leadsElsewhere,
  },
  {
    id: 'no-load-balancer',
    area: 'receiving',
    weight: 85,
    page: runbook('InletNoMail'),
    signs: ({ gatewayAddresses }) =>
      when(gatewayAddresses?.length === 0, 'the Service of the gateway has no external address'),
    explains: ['mx-elsewhere'],
  },
];
