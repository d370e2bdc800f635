/**
 * Errors of JetStream, by what they mean to Inlet. The codes are those of nats-server,
 * server/errors.json.
 */
import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';

const CODES = {
  accountFull: 10002,
  noPeers: 10005, // fewer servers than replicas, while a cluster starts
  clusterNotActive: 10006,
  clusterNotAvailable: 10008,
  notLeader: 10009,
  noConsumer: 10014,
  noResources: 10023,
  memoryFull: 10028,
  noMessage: 10037,
  noSequence: 10043, // the message was removed in the meantime
  storageFull: 10047,
  deleteFailed: 10057, // no such message: it was removed in the meantime
  streamExists: 10058,
  noStream: 10059,
  wrongLastSequence: 10071,
  storeFailed: 10077, // the stream has reached its size
  consumerExists: 10148,
  idInFlight: 10158, // a message with this id is still being replicated
  subjectInFlight: 10164, // another message for the subject is still being replicated
} as const;

const hasCode = (...names: (keyof typeof CODES)[]) => {
  const codes: ReadonlySet<number> = new Set(names.map((name) => CODES[name]));
  return (error: unknown) => error instanceof JetStreamApiError && codes.has(error.code);
};

/** There is no such stream, consumer or message. */
export const isAbsent = hasCode(
  'noStream',
  'noConsumer',
  'noMessage',
  'noSequence',
  'deleteFailed',
);

/** The stream, the server or the account has no room. */
export const isFull = hasCode(
  'storeFailed',
  'storageFull',
  'memoryFull',
  'noResources',
  'accountFull',
);

/** The stream has reached its own limit, and neither the server nor the account has. */
export const isStreamFull = hasCode('storeFailed');

/** The last message of the subject is not the expected one. */
export const isOvertaken = hasCode('wrongLastSequence', 'subjectInFlight');

/** The stream or consumer exists with other settings. With equal ones there is no error. */
const isOtherwiseConfigured = hasCode('streamExists', 'consumerExists');

const needsTime = hasCode(
  'clusterNotActive',
  'clusterNotAvailable',
  'notLeader',
  'idInFlight',
  'subjectInFlight',
);

/**
 * The message can be stored when its stream has a leader again. An earlier try may be stored or not.
 * A full stream is not such a case.
 */
export const isStoredLater = (error: unknown): boolean =>
  error instanceof JetStreamApiError ? needsTime(error) : isUnanswered(error);

/** No server answered the request: its stream has no leader, or the connection is lost. */
export function isUnanswered(error: unknown): boolean {
  return (
    error instanceof errors.TimeoutError ||
    error instanceof errors.RequestError ||
    error instanceof errors.NoRespondersError ||
    (error instanceof Error && isUnanswered(error.cause))
  );
}

const UNAVAILABLE = 503;
const lacksPeers = hasCode('noPeers');

/** JetStream starts, elects leaders or lacks servers. */
export function isJetStreamDown(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return error.status === UNAVAILABLE || lacksPeers(error);
  return isUnanswered(error) || (error instanceof Error && isJetStreamDown(error.cause));
}

/** For `catch`: null when there is no such stream, consumer or message. */
export function nullWhenAbsent(error: unknown): null {
  if (isAbsent(error)) return null;
  throw error;
}

/** For `catch`: there is such a stream or consumer, with other settings. */
export function trueWhenOtherwiseConfigured(error: unknown): true {
  if (isOtherwiseConfigured(error)) return true;
  throw error;
}
