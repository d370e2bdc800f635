/**
 * Errors of NATS, by what they mean to Inlet (D160): one table. An error is final only if the server
 * answered with a code that the table calls so; everything else is temporary. The codes are those of
 * nats-server, server/errors.json.
 */
import { JetStreamApiError, JetStreamError } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';

/**
 * `absent`, `overtaken` and `otherwise` are answers about the state, so they are final. `refused`
 * says that the request can never succeed. `full` needs room, and `waits` needs time: both are
 * temporary, like every code that is not here.
 */
type Meaning = 'absent' | 'overtaken' | 'otherwise' | 'refused' | 'full' | 'waits';

const CODES = {
  noConsumer: [10014, 'absent'],
  noMessage: [10037, 'absent'],
  noSequence: [10043, 'absent'], // the message was removed in the meantime
  deleteFailed: [10057, 'absent'], // no such message: it was removed in the meantime
  noStream: [10059, 'absent'],
  wrongLastSequence: [10071, 'overtaken'],
  subjectInFlight: [10164, 'overtaken'], // another message for the subject is being replicated
  streamExists: [10058, 'otherwise'],
  consumerExists: [10148, 'otherwise'],
  badRequest: [10003, 'refused'],
  invalidJson: [10025, 'refused'],
  streamInvalid: [10052, 'refused'],
  messageTooLarge: [10054, 'refused'],
  otherStream: [10060, 'refused'],
  subjectsOverlap: [10065, 'refused'],
  replicasNotSupported: [10074, 'refused'], // by a single server
  headersTooLarge: [10097, 'refused'],
  accountFull: [10002, 'full'],
  noResources: [10023, 'full'],
  memoryFull: [10028, 'full'],
  storageFull: [10047, 'full'],
  storeFailed: [10077, 'full'], // the stream has reached its size, or the disk failed
  noPeers: [10005, 'waits'], // fewer servers than replicas, while a cluster starts
  clusterNotActive: [10006, 'waits'],
  clusterNotAvailable: [10008, 'waits'],
  notLeader: [10009, 'waits'],
  idInFlight: [10158, 'waits'], // a message with this id is still being replicated
} as const satisfies Record<string, readonly [code: number, meaning: Meaning]>;

type Name = keyof typeof CODES;

const MEANINGS: ReadonlyMap<number, Meaning> = new Map(Object.values(CODES));

const hasCode = (...names: Name[]) => {
  const codes: ReadonlySet<number> = new Set(names.map((name) => CODES[name][0]));
  return (error: unknown) => error instanceof JetStreamApiError && codes.has(error.code);
};

const means = (meaning: Meaning) => (error: unknown) =>
  error instanceof JetStreamApiError && MEANINGS.get(error.code) === meaning;

const isFinal = (error: JetStreamApiError): boolean => {
  const meaning = MEANINGS.get(error.code);
  return meaning !== undefined && meaning !== 'full' && meaning !== 'waits';
};

/** JetStream needs time. */
export const needsTime = means('waits');

/** There is no such stream, consumer or message. */
const isAbsent = means('absent');

/** The stream, the server or the account has no room. */
export const isFull = means('full');

/** The stream has reached its own limit, and neither the server nor the account has. */
export const isStreamFull = hasCode('storeFailed');

/** The last message of the subject is not the expected one. */
export const isOvertaken = means('overtaken');

/** The stream or consumer exists with other settings. With equal ones there is no error. */
const isOtherwiseConfigured = means('otherwise');

/** Answers, and so final, except for a message that has to be stored: that one waits. */
const isInFlight = hasCode('subjectInFlight');

/**
 * The message can be stored when its stream has a leader again. An earlier try may be stored or not.
 * A full stream is not such a case: it needs room.
 */
export const isStoredLater = (error: unknown): boolean =>
  isInFlight(error) || (isNatsTemporary(error) && !isFull(error));

/** No server answered the request: its stream has no leader, or the connection is lost. */
export function isUnanswered(error: unknown): boolean {
  return (
    UNANSWERED.some((one) => error instanceof one) ||
    (error instanceof Error && isUnanswered(error.cause))
  );
}
const UNANSWERED = [errors.TimeoutError, errors.RequestError, errors.NoRespondersError];

/**
 * Whether the same request may succeed later: JetStream starts, elects leaders, lacks servers or
 * room, or answers with a code that the table does not know.
 */
export function isNatsTemporary(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return !isFinal(error);
  if (error instanceof JetStreamError || isUnanswered(error)) return true;
  return error instanceof Error && isNatsTemporary(error.cause);
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
