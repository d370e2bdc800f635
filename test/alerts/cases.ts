/**
 * For each rule (an alert and its cause), series that make it fire and series that do not, in promtool's notation, one
 * value per minute.
 */

export type Series = Record<string, string>;
/** Alerts are evaluated in the last minute of the series, by default the 60th. */
export type Case = { fires: Series; alsoFires?: Series; staysCalm: Series; minutes?: number };

export const MINUTES = 60;
const A_DAY = 1_440;

const always = (value: number) => `${value}x${MINUTES}`;
/** One event, five and forty minutes before the end: no alert lasts for an hour after it. */
const JUST_NOW = `0x${MINUTES - 5} 1x5`;
const LONG_AGO = `0x${MINUTES - 40} 1x40`;
const growing = (eachMinute: number) => `0+${eachMinute}x${MINUTES}`;
const running = (component: string, namespace = '') =>
  `inlet_build_info{component="${component}",job="${component}",instance="${component}:9090"` +
  `${namespace && `,namespace="${namespace}"`}}`;

/** A histogram with all observations between two buckets. */
const between = (name: string, low: number, high: number, labels = ''): Series => ({
  [`${name}_bucket{le="${low}"${labels}}`]: always(0),
  [`${name}_bucket{le="${high}"${labels}}`]: growing(60),
  [`${name}_bucket{le="+Inf"${labels}}`]: growing(60),
});

const expiresIn = (days: number, component = 'gateway'): Series => ({
  [`inlet_tls_certificate_expiry_timestamp_seconds{component="${component}"}`]: always(
    MINUTES * 60 + days * 86_400,
  ),
}); // promtool's clock begins at 0

const refusals = (reply: string, eachMinute: number, accepted: number): Series => ({
  [`inlet_mails_refused_total{reply="${reply}",code="451"}`]: growing(eachMinute),
  inlet_mails_accepted_total: growing(accepted),
});
const ended = (failed: number, delivered: number): Series => ({
  'inlet_deliveries_total{status="failed"}': growing(failed),
  'inlet_deliveries_total{status="delivered"}': growing(delivered),
});
const attempts = (busy: number, accepted: number): Series => ({
  'inlet_webhook_attempts_total{outcome="busy",status="503"}': growing(busy),
  'inlet_webhook_attempts_total{outcome="accepted",status="200"}': growing(accepted),
});
const authenticated = (failed: number, good: number): Series => ({
  'inlet_authentication_results_total{method="spf",result="temperror"}': growing(failed),
  'inlet_authentication_results_total{method="spf",result="pass"}': growing(good),
  'inlet_authentication_results_total{method="iprev",result="temperror"}': growing(500),
});
/** The same series, of another namespace. */
const inNamespace = (namespace: string, series: Series): Series =>
  Object.fromEntries(
    Object.entries(series).map(([name, values]) => [
      name.replace('}', `,namespace="${namespace}"}`),
      values,
    ]),
  );
const scored = (failed: number, good: number): Series => ({
  'inlet_rspamd_seconds_count{outcome="failed"}': growing(failed),
  'inlet_rspamd_seconds_count{outcome="answered"}': growing(good),
});
const scanned = (failed: number, good: number): Series => ({
  'inlet_virus_verdicts_total{kind="clamd",result="error"}': growing(failed),
  'inlet_virus_verdicts_total{kind="clamd",result="clean"}': growing(good),
});
const requests = (failed: number, good: number, route = '/v1/addresses'): Series => ({
  [`inlet_api_requests_total{route="${route}",method="GET",status="503"}`]: growing(failed),
  'inlet_api_requests_total{route="/v1/addresses",method="GET",status="200"}': growing(good),
});
const reconciles = (errors: string, good: number): Series => ({
  'inlet_operator_reconciles_total{kind="InboundAddress",result="error"}': errors,
  'inlet_operator_reconciles_total{kind="InboundAddress",result="settled"}': growing(good),
});

const volume = (namespace: string, persistentvolumeclaim: string, usedPercent: number): Series =>
  Object.fromEntries(
    [
      ['used', usedPercent],
      ['capacity', 100],
    ].map(([what, bytes]) => [
      `kubelet_volume_stats_${what}_bytes{namespace="${namespace}",persistentvolumeclaim="${persistentvolumeclaim}"}`,
      always(Number(bytes)),
    ]),
  );

/** A disk of MongoDB that has `free` bytes and fills by one each minute, for ten hours. */
const filling = (free: number): Series => {
  const labels = 'namespace="mail",persistentvolumeclaim="data-inlet-mongodb-0"';
  return {
    [running('gateway', 'mail')]: `1x${TEN_HOURS}`,
    [`kubelet_volume_stats_used_bytes{${labels}}`]: `0+1x${TEN_HOURS}`,
    [`kubelet_volume_stats_available_bytes{${labels}}`]: `${free}-1x${TEN_HOURS}`,
  };
};

/** A counter that grows by `early` each minute until `first`, then by `later`. */
const growth = (early: number, later: number, first: number, minutes: number): string =>
  first >= minutes
    ? `0+${early}x${minutes}`
    : `0+${early}x${first} ${early * first + later}+${later}x${minutes - first - 1}`;
/** 100 events each minute, of which `bad` are bad until the minute `first`, then none. */
type Burst = readonly [bad: number, first: number, minutes: number];
const good = ([bad, first, minutes]: Burst) => growth(100 - bad, 100, first, minutes);
const within = (name: string, limit: number, burst: Burst, ...labels: string[]): Series => ({
  [`${name}_bucket{${[...labels, `le="${limit}.0"`].join(',')}}`]: good(burst),
  [`${name}_count${labels.length > 0 ? `{${labels.join(',')}}` : ''}`]: growth(
    100,
    100,
    burst[1],
    burst[2],
  ),
});
const TRY_LATER = 'inlet_mails_refused_total{reply="try_later",code="451"}';
const accepted = (...burst: Burst): Series => ({
  ...within('inlet_mail_accept_seconds', 1, burst),
  [TRY_LATER]: `0x${burst[2]}`,
});
const attempted = (...burst: Burst): Series =>
  within('inlet_mail_to_first_attempt_seconds', 5, burst, 'paced="false"');
/** The emails of one tenant, whose receiver hangs: all are late. */
const paced = (minutes: number): Series =>
  within('inlet_mail_to_first_attempt_seconds', 5, [100, minutes, minutes], 'paced="true"');
const delivered = (...burst: Burst): Series => ({
  'inlet_deliveries_total{status="delivered"}': good(burst),
  'inlet_deliveries_total{status="failed"}': growth(burst[0], 0, burst[1], burst[2]),
});
const TEN_HOURS = 600;

export const CASES: Record<string, Case> = {
  'InletComponentAbsent gateway': {
    fires: { [running('dispatcher')]: always(1) },
    staysCalm: { [running('gateway')]: always(1) },
  },
  'InletComponentAbsent dispatcher': {
    fires: { [running('gateway')]: always(1) },
    staysCalm: { [running('dispatcher')]: always(1) },
  },
  'InletComponentAbsent api': {
    fires: { [running('gateway')]: always(1) },
    staysCalm: { [running('api')]: always(1) },
  },
  'InletProcessUnhealthy unreachable': {
    fires: {
      'up{job="gateway",instance="gateway:9090"}': '1x20 0x40',
      [running('gateway')]: '1x20 _x40',
    },
    staysCalm: {
      'up{job="other",instance="other:9090"}': always(0),
      [running('gateway')]: always(1),
    },
  },
  'InletProcessUnhealthy restarting': {
    fires: {
      'process_start_time_seconds{job="gateway",instance="gateway:9090"}': '0+60x50 stale _x9',
      [running('gateway')]: '1x50 stale _x9',
    }, // between two tries
    staysCalm: {
      'process_start_time_seconds{job="gateway",instance="gateway:9090"}': '0x30 1800x30',
      [running('gateway')]: always(1),
      'process_start_time_seconds{job="other",instance="other:9090"}': '0+60x60',
    },
  },
  'InletNatsUnavailable disconnected': {
    fires: {
      'inlet_backend_connected{component="gateway",instance="a",backend="nats"}': always(1),
      'inlet_backend_connected{component="gateway",instance="b",backend="nats"}': always(0),
    },
    staysCalm: {
      'inlet_backend_connected{component="gateway",backend="nats"}': '1x58 0x0 1x1',
      'inlet_backend_connected{component="gateway",backend="mongodb"}': always(0),
    },
  },
  InletMongodbDisconnected: {
    fires: { 'inlet_backend_connected{component="api",backend="mongodb"}': always(0) },
    staysCalm: {
      'inlet_backend_connected{component="api",backend="mongodb"}': always(1),
      'inlet_backend_connected{component="api",backend="nats"}': always(0),
    },
  },
  InletSweepFailing: {
    minutes: 4 * 60,
    fires: {
      'inlet_sweep_last_success_timestamp_seconds{sweep="invoices",instance="a"}': `0+60x30 1800x210`,
      'inlet_sweep_last_success_timestamp_seconds{sweep="invoices",instance="b"}': '0x240',
      'inlet_sweep_last_success_timestamp_seconds{sweep="old_events"}': '0+60x240',
    },
    staysCalm: {
      'inlet_sweep_last_success_timestamp_seconds{sweep="invoices",instance="a"}': '0x240',
      'inlet_sweep_last_success_timestamp_seconds{sweep="invoices",instance="b"}': '0+60x240',
      'inlet_sweep_last_success_timestamp_seconds{sweep="old_records",instance="new"}':
        '_x200 0x40',
    }, // one that succeeds is enough, and a first run may take its time
  },
  'InletBackupOld backup': {
    minutes: 2 * A_DAY,
    // the last one is a day and two hours old, and none was ever made
    fires: {
      inlet_backup_max_age_seconds: `${26 * 3_600}x${2 * A_DAY}`,
      inlet_backup_last_success_timestamp_seconds: `0x${2 * A_DAY}`,
    },
    alsoFires: {
      inlet_backup_max_age_seconds: `${26 * 3_600}x${2 * A_DAY}`,
      inlet_backup_last_success_timestamp_seconds: `0x600 36000x${2 * A_DAY - 601}`,
    },
    staysCalm: {
      // one from an hour ago; one of an installation that began an hour ago; one without backups
      'inlet_backup_max_age_seconds{namespace="backed-up"}': `${26 * 3_600}x${2 * A_DAY}`,
      'inlet_backup_last_success_timestamp_seconds{namespace="backed-up"}': `0x2820 169200x60`,
      'inlet_backup_max_age_seconds{namespace="new"}': `_x2820 ${26 * 3_600}x60`,
      'inlet_backup_last_success_timestamp_seconds{namespace="new"}': `_x2820 0x60`,
      'inlet_backup_max_age_seconds{namespace="without"}': `0x${2 * A_DAY}`,
      'inlet_backup_last_success_timestamp_seconds{namespace="without"}': `0x${2 * A_DAY}`,
    },
  },
  'InletBackupOld drill': {
    minutes: 42 * A_DAY,
    fires: { inlet_backup_last_drill_timestamp_seconds: `3600x${42 * A_DAY}` },
    staysCalm: {
      'inlet_backup_last_drill_timestamp_seconds{namespace="never"}': `0x${42 * A_DAY}`,
      'inlet_backup_last_drill_timestamp_seconds{namespace="new"}': `3600x28800 1728000x31680`,
    },
  },
  InletEventLoopBlocked: {
    fires: {
      'nodejs_eventloop_lag_p99_seconds{job="gateway",instance="gateway:9090"}': always(0.7),
      [running('gateway')]: always(1),
    },
    staysCalm: {
      'nodejs_eventloop_lag_p99_seconds{job="other",instance="other:9090"}': always(0.7),
      'nodejs_eventloop_lag_p99_seconds{job="gateway",instance="gateway:9090"}': always(0.1),
      [running('gateway')]: always(1),
    },
  },

  InletMailDeferred: {
    fires: refusals('try_later', 2, 100),
    staysCalm: {
      ...refusals('try_later', 1, 200),
      ...refusals('quota_spent', 500, 200),
      ...refusals('server_full', 500, 200),
    },
  },
  'InletStorageFull refused': {
    fires: refusals('queue_full', 1, 0),
    staysCalm: { ...refusals('queue_full', 0, 10), ...refusals('no_such_address', 100, 10) },
  },
  InletConnectionsFull: {
    fires: refusals('server_full', 5, 10),
    staysCalm: refusals('too_many_connections', 5, 10),
  },
  InletNoMail: {
    minutes: A_DAY + 90,
    fires: { inlet_mails_accepted_total: `0+10x${A_DAY} ${A_DAY * 10}x90` },
    staysCalm: {
      'inlet_mails_accepted_total{namespace="busy"}': `0+10x${A_DAY + 90}`,
      'inlet_mails_accepted_total{namespace="idle"}': `0x${A_DAY + 90}`,
    },
  },
  InletAccountRefused: {
    fires: {
      'inlet_account_refused_total{account="acc_1"}': growing(5),
      'inlet_account_mails_total{account="acc_1"}': growing(4),
    },
    alsoFires: { 'inlet_account_refused_total{account="acc_none_accepted"}': growing(5) },
    staysCalm: {
      'inlet_account_refused_total{account="acc_2"}': growing(5),
      'inlet_account_mails_total{account="acc_2"}': growing(6),
      'inlet_account_refused_total{account="acc_few"}': growing(1),
      'inlet_account_refused_total{account="other"}': growing(50),
    },
  },
  'InletMongodbSlow recipients': {
    fires: between('inlet_smtp_rcpt_seconds', 1, 2.5),
    staysCalm: between('inlet_smtp_rcpt_seconds', 0.005, 0.5),
  },
  InletStoreSlow: {
    fires: between('inlet_mail_store_seconds', 1, 2.5),
    staysCalm: between('inlet_mail_store_seconds', 0.005, 0.5),
  },
  InletLookupsFailing: {
    fires: authenticated(30, 70),
    staysCalm: { ...authenticated(10, 90), ...inNamespace('quiet', authenticated(1, 2)) },
  },
  'InletScannersFailing rspamd': { fires: scored(20, 80), staysCalm: scored(5, 95) },
  'InletScannersFailing clamd': { fires: scanned(20, 80), staysCalm: scanned(5, 95) },
  InletContentTookTooLong: {
    fires: {
      'inlet_content_took_too_long_total{lane="small",stage="content",reason="timeout"}':
        growing(60),
    },
    staysCalm: {
      'inlet_content_took_too_long_total{lane="small",stage="content",reason="timeout"}': always(9),
    },
  },
  InletContentThreadNotReady: {
    fires: {
      'inlet_content_thread_ready{instance="a",lane="small"}': always(1),
      'inlet_content_thread_ready{instance="a",lane="large"}': always(0),
    },
    staysCalm: { 'inlet_content_thread_ready{instance="a",lane="small"}': always(1) },
  },
  'InletScannersFailing signatures': {
    minutes: 5 * A_DAY,
    fires: { inlet_clamd_signatures_timestamp_seconds: `0x${5 * A_DAY}` },
    staysCalm: {
      inlet_clamd_signatures_timestamp_seconds: `0x${3 * A_DAY} ${3 * A_DAY * 60}x${2 * A_DAY}`,
    },
  },
  'InletCertificateNotRenewed expires_soon': {
    fires: { ...expiresIn(20), ...expiresIn(10, 'api') },
    staysCalm: expiresIn(20),
  },
  'InletCertificateNotRenewed almost_expired': { fires: expiresIn(1), staysCalm: expiresIn(3) },
  'InletCertificateNotRenewed not_reloaded': {
    fires: { inlet_tls_reload_failures_total: JUST_NOW },
    staysCalm: { inlet_tls_reload_failures_total: LONG_AGO },
  },

  InletQueueOld: {
    fires: {
      'inlet_queue_age_seconds{lane="mail",partition="0"}': growing(60),
      'inlet_queue_age_seconds{lane="mail",partition="1"}': always(0),
    },
    staysCalm: {
      'inlet_queue_age_seconds{lane="mail",partition="0"}': always(20),
      'inlet_queue_age_seconds{lane="retry",partition="0"}': growing(60),
    },
  },
  'InletDispatchersBehind backlog': {
    fires: {
      'inlet_dispatcher_backlog_mails{instance="a"}': always(6_000),
      'inlet_dispatcher_backlog_mails{instance="b"}': always(6_000),
    },
    staysCalm: {
      'inlet_dispatcher_backlog_mails{instance="a"}': always(3_000),
      'inlet_dispatcher_backlog_mails{instance="b"}': always(3_000),
    }, // both tell the whole
  },
  'InletRetryBacklogLarge large': {
    fires: {
      'inlet_queue_mails{lane="retry",partition="0",state="pending",instance="a"}': always(60_000),
      'inlet_queue_mails{lane="retry",partition="1",state="pending",instance="a"}': always(60_000),
    },
    staysCalm: {
      'inlet_queue_mails{lane="retry",partition="0",state="pending",instance="a"}': always(60_000),
      'inlet_queue_mails{lane="retry",partition="0",state="pending",instance="b"}': always(60_000),
    },
  },
  'InletMailNaks naks': {
    fires: { 'inlet_mail_nak_total{lane="retry"}': growing(20) }, // one mail
    staysCalm: {
      'inlet_mail_nak_total{lane="mail"}': '0x30 0+5000x4 20000x26', // an outage that has passed
    },
  },
  'InletMailNaks secret_keys': {
    fires: { 'inlet_missing_secret_keys{component="dispatcher"}': always(1) },
    staysCalm: { 'inlet_missing_secret_keys{component="dispatcher"}': always(0) },
  },
  InletOutcomesRefused: {
    fires: { inlet_outcomes_refused_total: JUST_NOW },
    staysCalm: { inlet_outcomes_refused_total: LONG_AGO },
  },
  'InletMailSetAside failed': {
    fires: { inlet_mail_set_aside_total: JUST_NOW },
    staysCalm: { inlet_mail_set_aside_total: LONG_AGO },
  },
  InletDeliveriesLost: {
    fires: { 'inlet_deliveries_given_up_total{reason="lost"}': JUST_NOW },
    staysCalm: {
      'inlet_deliveries_given_up_total{reason="lost"}': LONG_AGO,
      'inlet_deliveries_given_up_total{reason="expired"}': growing(3),
    },
  },
  'InletRetryBacklogLarge full': {
    fires: { 'inlet_deliveries_given_up_total{reason="backlog_full"}': growing(2) },
    staysCalm: { 'inlet_deliveries_given_up_total{reason="expired"}': growing(2) },
  },
  InletClocksDiffer: {
    fires: { 'inlet_clock_offset_seconds{component="gateway",server="nats"}': always(-2) },
    alsoFires: { 'inlet_clock_offset_seconds{component="api",server="mongodb"}': always(86_400) },
    staysCalm: { 'inlet_clock_offset_seconds{component="api",server="mongodb"}': always(0.9) },
  },
  'InletMailSetAside dead': {
    fires: { 'inlet_stream_messages{stream="DEAD"}': always(1) },
    staysCalm: {
      'inlet_stream_messages{stream="DEAD"}': always(0),
      'inlet_stream_messages{stream="FAILED"}': always(9),
    },
  },
  'InletWebhooksFailing deliveries': { fires: ended(20, 80), staysCalm: ended(5, 95) },
  'InletWebhooksFailing attempts': {
    fires: attempts(60, 40),
    alsoFires: attempts(0.5, 0), // a small installation: five attempts in ten minutes
    staysCalm: {
      ...attempts(40, 60),
      // twelve attempts failed before the last hour
      'inlet_webhook_attempts_total{outcome="refused",status="404",namespace="quiet"}': `0x3 4x3 8x3 12x${MINUTES - 9}`,
    },
  },
  'InletDispatchersBehind first_attempts': {
    fires: between('inlet_mail_to_first_attempt_seconds', 60, 300, ',paced="false"'),
    staysCalm: {
      ...between('inlet_mail_to_first_attempt_seconds', 5, 15, ',paced="false"'),
      ...between('inlet_mail_to_first_attempt_seconds', 300, 1800, ',paced="true"'),
    },
  },
  'InletWebhooksFailing slow': {
    fires: between('inlet_webhook_attempt_seconds', 10, 30, ',outcome="accepted"'),
    staysCalm: {
      ...between('inlet_webhook_attempt_seconds', 1, 2.5, ',outcome="accepted"'),
      ...between('inlet_webhook_attempt_seconds', 10, 30, ',outcome="unreachable"'),
    },
  },
  'InletMongodbSlow records': {
    fires: between('inlet_record_batch_seconds', 2.5, 5),
    staysCalm: between('inlet_record_batch_seconds', 0.05, 0.5),
  },
  'InletAddressesUnhealthy failing': {
    fires: { 'inlet_failing_addresses{noticed="true"}': always(1) },
    staysCalm: {
      'inlet_failing_addresses{noticed="true"}': always(0),
      'inlet_failing_addresses{noticed="false"}': always(9),
    },
  },
  'InletAddressesUnhealthy silent': {
    fires: { inlet_silent_addresses: always(1) },
    staysCalm: { inlet_silent_addresses: always(0) },
  },
  'InletAddressesUnhealthy unread': {
    fires: { inlet_unread_addresses: always(1) },
    staysCalm: { inlet_unread_addresses: always(0) },
  },

  'InletNatsUnavailable jetstream': {
    fires: { [running('gateway')]: always(1), [running('dispatcher')]: always(1) },
    staysCalm: {
      [running('gateway', 'one')]: always(1),
      [running('dispatcher', 'one')]: always(1),
      'inlet_dispatcher_backlog_mails{namespace="one",component="gateway"}': always(0),
    },
  },
  InletStreamCopiesBehind: {
    fires: { 'inlet_stream_outdated_copies{stream="MAIL-0"}': always(1) },
    staysCalm: { 'inlet_stream_outdated_copies{stream="MAIL-0"}': always(0) },
  },
  'InletStorageFull stream': {
    fires: {
      'inlet_stream_bytes{stream="MAIL-0"}': always(95),
      'inlet_stream_max_bytes{stream="MAIL-0"}': always(100),
    },
    staysCalm: {
      'inlet_stream_bytes{stream="MAIL-0"}': always(82),
      'inlet_stream_max_bytes{stream="MAIL-0"}': always(100),
      'inlet_stream_bytes{stream="FAILED"}': always(1e12),
    },
  },
  InletReplayWindowShort: {
    fires: {
      inlet_replay_kept_seconds: always(100_000),
      inlet_replay_promised_seconds: always(259_200),
    },
    staysCalm: {
      inlet_replay_kept_seconds: always(259_200),
      inlet_replay_promised_seconds: always(259_200),
    },
  },
  'InletStorageFull account': {
    fires: {
      inlet_jetstream_storage_bytes: always(90),
      inlet_jetstream_storage_max_bytes: always(100),
    },
    staysCalm: {
      inlet_jetstream_storage_bytes: always(50),
      inlet_jetstream_storage_max_bytes: always(100),
    },
  },

  'InletStorageFull volume': {
    fires: { [running('gateway', 'mail')]: always(1), ...volume('mail', 'data-inlet-nats-0', 70) },
    staysCalm: {
      [running('gateway', 'mail')]: always(1),
      ...volume('mail', 'data-inlet-nats-0', 40),
      ...volume('mail', 'data-inlet-mongodb-0', 90),
      ...volume('other', 'data-nats-0', 90),
    },
  },
  'InletMongodbDiskFilling share': {
    fires: {
      [running('gateway', 'mail')]: always(1),
      ...volume('mail', 'data-inlet-mongodb-0', 80),
    },
    staysCalm: {
      [running('gateway', 'mail')]: always(1),
      ...volume('mail', 'data-inlet-mongodb-0', 70),
      ...volume('other', 'data-mongodb-0', 90),
    },
  },
  'InletMongodbDiskFilling days': {
    minutes: TEN_HOURS,
    fires: filling(4_000), // of which it uses 1,440 a day
    staysCalm: filling(8_000),
  },
  InletApiErrors: {
    fires: requests(2, 98),
    staysCalm: { ...requests(0.5, 99.5), ...requests(50, 50, '/readyz') },
  },
  'InletMongodbSlow api': {
    fires: between('inlet_api_request_duration_seconds', 1, 2.5, ',route="/v1/addresses"'),
    staysCalm: {
      ...between('inlet_api_request_duration_seconds', 0.1, 0.25, ',route="/v1/addresses"'),
      ...between(
        'inlet_api_request_duration_seconds',
        5,
        10,
        ',route="/v1/addresses/{address_id}/test"',
      ),
    },
  },

  'InletSloAcceptance fast': {
    fires: accepted(2, 60, MINUTES), // 20 times the budget of 0.1 %
    staysCalm: { ...refusals('server_full', 500, 0), ...accepted(2, 20, MINUTES) }, // it has ended
  },
  'InletSloAcceptance slow': {
    minutes: TEN_HOURS,
    fires: { ...accepted(0, TEN_HOURS, TEN_HOURS), [TRY_LATER]: `0+1x${TEN_HOURS}` },
    staysCalm: accepted(1, 120, TEN_HOURS),
  },
  'InletSloFirstAttempt fast': {
    fires: attempted(10, 60, MINUTES), // 10 times the budget of 1 %, for six hours
    staysCalm: { ...attempted(4, 60, MINUTES), ...paced(MINUTES) },
  },
  'InletSloFirstAttempt slow': {
    minutes: TEN_HOURS,
    fires: attempted(2, TEN_HOURS, TEN_HOURS),
    staysCalm: { ...attempted(2, 120, TEN_HOURS), ...paced(TEN_HOURS) },
  },
  'InletSloDelivery fast': {
    fires: delivered(80, 60, MINUTES), // 16 times the budget of 5 %
    staysCalm: delivered(20, 60, MINUTES),
  },
  'InletSloDelivery slow': {
    minutes: TEN_HOURS,
    fires: delivered(6, TEN_HOURS, TEN_HOURS),
    staysCalm: delivered(4, TEN_HOURS, TEN_HOURS),
  },

  'InletComponentAbsent operator': {
    fires: {
      [running('operator')]: `1x20 stale _x${MINUTES - 20}`,
      [running('gateway')]: always(1),
    },
    staysCalm: { [running('gateway')]: always(1), [running('operator', 'one')]: always(1) },
  },
  'InletOperatorFailing errors': {
    fires: reconciles('0+1x60', 1_000), // one resource of many
    staysCalm: reconciles('0x30 0+60x5 300x25', 100), // an outage that has passed
  },
  'InletOperatorFailing no_leader': {
    fires: {
      'inlet_operator_is_leader{instance="a"}': always(0),
      'inlet_operator_is_leader{instance="b"}': always(0),
    },
    staysCalm: {
      'inlet_operator_is_leader{instance="a"}': always(0),
      'inlet_operator_is_leader{instance="b"}': always(1),
    },
  },
};
