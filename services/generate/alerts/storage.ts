/** Alerts about NATS, its storage, and MongoDB. */
import type { Alert } from './alert.ts';

export const STORAGE: readonly Alert[] = [
  {
    name: 'InletNatsUnavailable',
    dashboard: 'inlet-delivery',
    users: 'Email is delayed: senders retry. Webhooks stop. API changes and replays fail with 503.',
    rules: [
      {
        cause: 'disconnected',
        severity: 'critical',
        for: '2m',
        expr: 'min by (namespace, component) (inlet_backend_connected{backend="nats"}) == 0',
        when: 'A process has no connection to NATS',
        summary: 'A {{ $labels.component }} process has lost its connection to NATS',
        means:
          'Without NATS, a gateway replies 451, a dispatcher sends nothing, and the operator waits.',
      },
      {
        cause: 'jetstream',
        severity: 'critical',
        for: '3m',
        expr: `
          count by (namespace) (inlet_build_info{component=~"gateway|dispatcher"})
            unless on (namespace) count by (namespace) (inlet_dispatcher_backlog_mails)`,
        when: 'Gateways or dispatchers run, and none of them can read the streams',
        summary: 'JetStream does not respond',
        means: 'JetStream has no quorum or is overloaded. Gateways probably reply 451 to all mail.',
      },
    ],
  },
  {
    name: 'InletStorageFull',
    dashboard: 'inlet-delivery',
    users:
      'Nothing before it is full. Then email is delayed. Nothing that was accepted is dropped.',
    rules: [
      {
        cause: 'refused',
        severity: 'critical',
        expr: 'sum by (namespace) (increase(inlet_mails_refused_total{reply="queue_full"}[10m])) > 0',
        when: 'JetStream has refused to store mail within the last ten minutes',
        summary: 'The queue is full, and mail is refused with 452 4.3.1',
        means:
          'A stream is full of mail that is not delivered, or the JetStream account or the disk is full.',
      },
      {
        cause: 'stream',
        severity: 'critical',
        for: '10m',
        expr: `
          max by (namespace, stream) (inlet_stream_bytes)
            / max by (namespace, stream) (inlet_stream_max_bytes) > 0.9`,
        when: 'A stream is more than 90 % full (`STREAM_MAX_BYTES`)',
        summary: 'Stream {{ $labels.stream }} is {{ $value | humanizePercentage }} full',
        means: 'Delivered mail makes room from 80 %, so undelivered mail fills it.',
      },
      {
        cause: 'account',
        severity: 'critical',
        for: '10m',
        expr: `
          max by (namespace) (inlet_jetstream_storage_bytes)
            / max by (namespace) (inlet_jetstream_storage_max_bytes) > 0.85`,
        when: 'The JetStream account has used more than 85 % of its storage',
        summary: 'The JetStream account has used {{ $value | humanizePercentage }} of its storage',
        means: 'All its streams count, also those of other applications.',
      },
      {
        cause: 'volume',
        severity: 'warning',
        for: '10m',
        expr: `
          max by (namespace, persistentvolumeclaim) (
            kubelet_volume_stats_used_bytes{persistentvolumeclaim=~".*nats.*"}
              / kubelet_volume_stats_capacity_bytes > 0.6
          ) and on (namespace) inlet_build_info`,
        when: 'A NATS volume is more than 60 % full',
        summary:
          'The volume {{ $labels.persistentvolumeclaim }} is {{ $value | humanizePercentage }} full',
        means:
          'JetStream stops before it is full: at 85 % with the NATS of the chart, and without ' +
          '`max_file_store` at three quarters of the space that was free at its start.',
      },
    ],
  },
  {
    name: 'InletReplayWindowShort',
    dashboard: 'inlet-delivery',
    users:
      'Replays and payloads of younger email return 404. `GET /v1/deliveries/replay` and the dashboard say ' +
      'for how many hours it is stored.',
    rules: [
      {
        severity: 'warning',
        expr: 'max by (namespace) (inlet_replay_kept_seconds) < max by (namespace) (inlet_replay_promised_seconds)',
        when: 'Delivered mail is stored for less time than `REPLAY_RETENTION`',
        summary: 'Delivered mail is stored for {{ $value | humanizeDuration }} only',
        means:
          'A `MAIL` stream reached `STREAM_MAX_BYTES`, or the JetStream account 80 % of its limit, so the ' +
          'oldest delivered mail made room.',
      },
    ],
  },
  {
    name: 'InletStreamCopiesBehind',
    dashboard: 'inlet-delivery',
    users: 'Nothing yet.',
    rules: [
      {
        severity: 'warning',
        for: '10m',
        expr: 'max by (namespace, stream) (inlet_stream_outdated_copies) > 0',
        when: 'Copies of a stream on other NATS nodes are offline or not up to date',
        summary:
          'Stream {{ $labels.stream }} has {{ $value }} copies that are offline or not up to date',
        means: 'Nothing is lost. If a second node of three stops, gateways reply 451 to all mail.',
      },
    ],
  },
  {
    name: 'InletMongodbDisconnected',
    dashboard: 'inlet-overview',
    users: 'API requests fail. Some email and most webhooks are delayed.',
    rules: [
      {
        severity: 'critical',
        for: '2m',
        expr: 'min by (namespace, component) (inlet_backend_connected{backend="mongodb"}) == 0',
        when: 'A process cannot reach a MongoDB primary',
        summary: 'A {{ $labels.component }} process cannot reach a MongoDB primary',
        means:
          'Gateways accept mail for addresses in their cache, and reply 451 for others. Dispatchers hold ' +
          'mail. The API responds with 503.',
      },
    ],
  },
  {
    name: 'InletMongodbSlow',
    dashboard: 'inlet-overview',
    users:
      'Senders to addresses that are not in the cache wait. Webhooks may be late. The API is slow.',
    rules: [
      {
        cause: 'recipients',
        severity: 'warning',
        for: '10m',
        expr: 'histogram_quantile(0.99, sum by (namespace, le) (rate(inlet_smtp_rcpt_seconds_bucket[10m]))) > 1',
        when: 'Gateways take more than a second to decide about a recipient (99th percentile)',
        summary: 'Gateways take {{ $value | humanizeDuration }} to decide about a recipient',
        means: 'They ask MongoDB for recipients that are not in their cache.',
      },
      {
        cause: 'records',
        severity: 'warning',
        for: '10m',
        expr: 'histogram_quantile(0.99, sum by (namespace, le) (rate(inlet_record_batch_seconds_bucket[10m]))) > 2',
        when: 'MongoDB takes more than two seconds to write a batch of outcomes (99th percentile)',
        summary: 'MongoDB takes {{ $value | humanizeDuration }} to write a batch of outcomes',
        means: 'An email occupies a dispatcher slot until its outcome is written.',
      },
      {
        cause: 'api',
        severity: 'warning',
        for: '15m',
        expr: `
          histogram_quantile(0.95,
            sum by (namespace, le) (rate(inlet_api_request_duration_seconds_bucket{route!~".*/test"}[10m]))) > 1`,
        when: 'API responses take more than a second (95th percentile)',
        summary: 'API responses take {{ $value | humanizeDuration }}',
        means: 'Test webhooks do not count.',
      },
    ],
  },
];
