/** How each alert is provoked. The files with tests in this folder do it. */

type Story = {
  /** A sentence or two: what happened, and what ended it. */
  how: string;
  /** What of it was not real. Absent when the processes really were in that state. */
  madeUp?: string;
  /** Parts of commands that rightly find nothing in this state, or cannot work here, with the reason. */
  finds?: Readonly<Record<string, string>>;
  /** Why it lasts for longer than an hour after its cause has ended. */
  lasts?: string;
};

const LOADED = 'A module that was loaded into the process';
const BY_HAND = 'the test, with a client of its own';
const NO_VOLUME = 'no volume of Kubernetes';
const SLOW_OBJECTIVES =
  'NATS stopped for 1.5 of each 2.5 seconds, the dispatcher for 7 of each 10, and a receiver of half of the email ' +
  'answered 404. Then all was well.';
const LONG_WINDOW = 'its window is six hours, which must be clean again';

export const STORIES: Readonly<Record<string, Story>> = {
  InletGatewayAbsent: { how: 'The only gateway was killed, and started again.' },
  InletDispatcherAbsent: { how: 'The only dispatcher was killed, and started again.' },
  InletApiAbsent: { how: 'The only API process was killed, and started again.' },
  InletOperatorAbsent: { how: 'The only operator was killed, and started again.' },
  InletProcessUnreachable: { how: 'A dispatcher was stopped with SIGSTOP, and continued.' },
  InletProcessRestarting: {
    how: 'An API process was killed and started again and again, then no more.',
  },
  InletEventLoopBlocked: { how: 'A gateway was stopped for 0.7 of each second.' },
  InletClocksDiffer: {
    how: 'The clock of a dispatcher was 5 s ahead, then right.',
    madeUp: `${LOADED} shifted its clock.`,
  },
  InletOperatorWithoutLeader: {
    how: 'The Kubernetes API refused all requests for Leases, then answered.',
    madeUp: 'The Kubernetes API is that of the tests.',
  },
  InletOperatorErrors: {
    how: 'The Kubernetes API answered 500 when Secrets of 100 new addresses were created, then it created them.',
    madeUp: 'The Kubernetes API is that of the tests.',
  },
  InletNatsDisconnected: {
    how: 'NATS was killed while email arrived, and started again.',
    finds: { nats_system: 'NATS does not run' },
  },
  InletJetStreamUnavailable: {
    how: 'As InletNatsDisconnected.',
    finds: { nats_system: 'NATS does not run', 'nats stream': 'NATS does not run' },
  },
  InletMailDeferred: { how: 'As InletNatsDisconnected.' },
  InletMongodbDisconnected: {
    how: 'MongoDB was killed while emails waited for their first attempt and requests came in, and started again.',
    finds: { mongosh: 'MongoDB does not run' },
  },
  InletApiErrors: { how: 'As InletMongodbDisconnected.' },
  InletMailNaks: { how: 'As InletMongodbDisconnected.' },
  InletSweepFailing: {
    how: 'As InletMongodbDisconnected. Seen for the job `failing_count`, which runs each minute.',
    finds: { mongosh: 'MongoDB does not run' },
  },
  InletApiSlow: {
    how: 'MongoDB was stopped for 5 of each 5.5 seconds, while requests and email came in.',
  },
  InletRecipientsSlow: {
    how: 'As InletApiSlow, with email for unknown recipients.',
    finds: { 'address_lookup.failed': 'lookups were slow, and did not fail' },
  },
  InletRecordsSlow: {
    how: 'As InletApiSlow.',
    finds: {
      SecondaryReplication: 'a single MongoDB has no secondary',
      currentOp: 'no operation runs while MongoDB answers',
    },
  },
  InletStoreSlow: {
    how: 'NATS was stopped for 2 of each 2.3 seconds, while email arrived.',
    finds: { leader: 'one NATS node elects no leader' },
  },

  InletLookupsFailing: { how: 'The DNS server did not respond, then it did.' },
  InletRspamdFailing: {
    how: 'rspamd was stopped with SIGSTOP while email arrived, and continued.',
  },
  InletVirusScanFailing: { how: 'clamd was killed while email arrived, and started again.' },
  InletVirusSignaturesOld: {
    how: 'clamd loaded signatures that were built five days ago, then new ones.',
    madeUp: 'The signatures are a file of the test.',
  },
  InletCertificateExpiresSoon: {
    how: 'The gateway got a certificate for one day, then one for 90.',
    madeUp: 'The certificates are files of the test. No cert-manager renews them.',
  },
  InletCertificateAlmostExpired: {
    how: 'As InletCertificateExpiresSoon.',
    madeUp: 'The certificates are files of the test. No cert-manager renews them.',
  },
  InletCertificateNotReloaded: {
    how: 'The certificate was replaced, and its key was not. Then both were replaced.',
    madeUp: 'The certificates are files of the test.',
  },
  InletConnectionsFull: {
    how: 'A client opened 20 connections and tried more (MAX_CONNECTIONS), then closed them.',
  },
  InletContentTookTooLong: {
    how: 'Emails of 8 MB arrived while PARSE_TIMEOUT was 10 ms. Then none.',
  },
  InletContentThreadNotReady: {
    how: 'New threads of a gateway did not start after one had taken too long, then they did.',
    madeUp: `${LOADED} makes the threads fail.`,
  },
  InletNoMail: {
    how: '200 emails arrived within an hour, and a day later none. Then one arrived.',
    madeUp:
      'A day of waiting: Prometheus got the real samples of that hour with times of a day before.',
    finds: { dig: 'the domain is in no DNS' },
  },

  InletQueueOld: {
    how: 'The only dispatcher was stopped with SIGSTOP while email arrived, and continued.',
    finds: { inlet_webhook_attempts_total: 'no dispatcher answers Prometheus' },
  },
  InletFirstAttemptsLate: {
    how: 'The only dispatcher was stopped for 4 of each 4.5 seconds while email arrived.',
  },
  InletBacklogLarge: {
    how: '5,500 emails arrived while the only dispatcher was stopped with SIGSTOP, which then continued.',
    finds: { inlet_mail_in_progress: 'no dispatcher answers Prometheus' },
    lasts: 'the emails have to be delivered first',
  },
  InletDeliveriesFailing: {
    how: 'The receiver of all emails answered 404. Then no more email arrived.',
  },
  InletAttemptsFailing: { how: 'As InletDeliveriesFailing.' },
  InletWebhooksSlow: { how: 'Receivers answered after 11 seconds, then immediately.' },
  InletAddressesFailing: {
    how: 'A receiver answered 503 for longer than FAILING_AFTER, then 204.',
  },
  InletAddressesSilent: {
    how: 'The email that an address expects each minute did not arrive, then it did.',
    finds: { 'grep refused': 'no email was sent, so none was refused' },
  },
  InletBacklogFull: {
    how: 'RETRY_MAX_MAILS was 1 while a receiver took 20 seconds for each email. Then no more email arrived.',
  },
  InletOutcomesRefused: {
    how: 'A validator of MongoDB refused the records of an address, and was removed.',
  },
  InletMailSetAside: { how: 'A chunk of a stored body was deleted before the first attempt.' },
  InletDeadLetters: {
    how: 'A message without an event was published to `mail.0.acc_1.addr_1`. `nats stream purge DEAD` ended it.',
    finds: {
      'stream view': 'it shows pages at a terminal only',
      'stream purge': 'it asks at a terminal, so the test ran it with `-f`',
    },
  },
  InletDeliveriesLost: {
    how: 'An email that waited for a retry was deleted from its streams.',
    madeUp: 'Its record was made an hour older.',
    finds: { 'streams.lost': 'a message was removed, and no stream' },
  },
  InletRetryBacklogLarge: {
    how: '100,001 emails waited for a retry, and were purged.',
    madeUp: `They are copies of one that really waited, published by ${BY_HAND}.`,
    finds: {
      inlet_webhook_attempts_total:
        'the only dispatcher was stopped, so that nothing left the lane',
    },
  },

  InletStreamNearlyFull: {
    how: 'Email arrived at streams of 4 MiB while the only dispatcher was stopped, which then continued.',
  },
  InletQueueFull: {
    how: 'As InletStreamNearlyFull.',
    finds: { 'stream.not_writing': 'a limit was reached, and not the end of the disk' },
  },
  InletReplayWindowShort: {
    how: 'More email was delivered than streams of 4 MiB hold for REPLAY_RETENTION (2 minutes), and then none.',
    lasts: 'the streams must have stored all email for REPLAY_RETENTION again',
  },
  InletJetStreamStorageNearlyFull: {
    how: 'Email arrived at an account of 8 MB while the only dispatcher was stopped, which then continued.',
    lasts: 'delivered email leaves after REPLAY_RETENTION, which was a minute',
  },
  InletStreamCopiesBehind: {
    how: 'One of three NATS nodes was killed, and started again.',
    finds: { nats_system: 'this cluster of the tests has no system account' },
  },
  InletNatsVolumeFilling: {
    how: 'Email filled the folder of NATS. Then the volume was enlarged.',
    madeUp: `${NO_VOLUME}: the test reports the real bytes of the folder as a kubelet does, and a size.`,
  },
  InletBackupOld: {
    how: 'The newest backup in the bucket was older than BACKUP_MAX_AGE. `inlet admin backup` made a new one.',
    finds: { backup_status: 'the list of backups can be read' },
  },
  InletBackupDrillOld: {
    how: 'The list in the bucket said that the last drill was 50 days ago. `inlet admin restore --drill` made one.',
    madeUp: 'The date of the last drill.',
  },

  InletSloAcceptanceFast: { how: SLOW_OBJECTIVES },
  InletSloAcceptanceSlow: { how: 'As InletSloAcceptanceFast.', lasts: LONG_WINDOW },
  InletSloFirstAttemptFast: { how: 'As InletSloAcceptanceFast.' },
  InletSloFirstAttemptSlow: { how: 'As InletSloAcceptanceFast.', lasts: LONG_WINDOW },
  InletSloDeliveryFast: { how: 'As InletSloAcceptanceFast.' },
  InletSloDeliverySlow: { how: 'As InletSloAcceptanceFast.', lasts: LONG_WINDOW },
};
