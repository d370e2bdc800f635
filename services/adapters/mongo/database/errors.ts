/**
 * Errors of MongoDB, by what they mean to Inlet (D160). An error is final only if the server, or the
 * driver in its place, refused what was asked with a code of the table below. Everything else is
 * temporary: nobody knows what became of the operation, and the same one may succeed later.
 */
import {
  BSON,
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoError,
  MongoExpiredSessionError,
  MongoInvalidArgumentError,
  MongoNotConnectedError,
  MongoParseError,
  MongoServerError,
  MongoTopologyClosedError,
} from 'mongodb';

/**
 * The codes with which a server refuses a document or a command because of its content. The names
 * are those of MongoDB, src/mongo/base/error_codes.yml; the last three have no name there.
 */
const REFUSED = {
  BadValue: 2,
  FailedToParse: 9,
  CannotMutateObject: 10,
  TypeMismatch: 14,
  Overflow: 15,
  InvalidLength: 16,
  EmptyArrayOperation: 21,
  InvalidBSON: 22,
  IndexNotFound: 27,
  PathNotViable: 28,
  NonExistentPath: 29,
  InvalidPath: 30,
  CannotBackfillArray: 34,
  ConflictingUpdateOperators: 40,
  DollarPrefixedFieldName: 52,
  InvalidIdField: 53,
  NotSingleValueField: 54,
  InvalidDBRef: 55,
  EmptyFieldName: 56,
  DottedFieldName: 57,
  ShardKeyNotFound: 61,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  IndexAlreadyExists: 68,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  DocTooLargeForCapped: 116,
  DocumentValidationFailure: 121,
  DurationOverflow: 159,
  InvalidPipelineOperator: 168,
  CannotIndexParallelArrays: 171,
  InvalidIndexSpecificationOption: 197,
  CannotBuildIndexKeys: 201,
  UpdateOperationFailed: 218,
  ConversionFailure: 241,
  BSONObjectTooLarge: 10_334,
  DuplicateKey: 11_000,
  keyTooLong: 17_280,
  updatedDocumentTooLarge: 17_419,
  upsertedDocumentTooLarge: 17_420,
} as const;

const REFUSED_CODES: ReadonlySet<unknown> = new Set(Object.values(REFUSED));

/** Codes of a user that may not connect, or not do this: an operator has to change it. */
const PERMISSION_CODES: ReadonlySet<unknown> = new Set([13, 18]);

/** The driver refuses what the server would refuse, for example a document above its limit. */
const refusedByDriver = (error: unknown): boolean =>
  error instanceof MongoInvalidArgumentError ||
  error instanceof MongoParseError ||
  error instanceof BSON.BSONError;

type Verdict = 'refused' | 'temporary';

/**
 * Looks at the error, and then at its causes. `bulkWrite` wraps each of its errors, a lost
 * connection also, in an error of the class of server errors: only a code says that a server
 * answered.
 * @returns undefined for an error that is not MongoDB's, such as a bug
 */
function verdictOf(error: unknown): Verdict | undefined {
  if (refusedByDriver(error)) return 'refused';
  if (error instanceof MongoServerError)
    return REFUSED_CODES.has(error.code) ? 'refused' : 'temporary';
  if (error instanceof MongoError || isSocketError(error)) return 'temporary';
  return error instanceof Error && error.cause !== undefined ? verdictOf(error.cause) : undefined;
}

/** The driver passes on the plain error of a socket that the server has just closed. */
const isSocketError = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  ('syscall' in error ? SOCKET_CALLS.has(error.syscall) : SOCKET_CODE.test(error.code));

const SOCKET_CALLS: ReadonlySet<unknown> = new Set([
  'connect',
  'getaddrinfo',
  'read',
  'shutdown',
  'write',
]);
const SOCKET_CODE = /^(?:E[A-Z]+|ERR_(?:SOCKET|STREAM|SSL|TLS)_\w+)$/;

/** Whether the same operation may succeed later, because its content is not the cause. */
export const isTemporary = (error: unknown): boolean => verdictOf(error) === 'temporary';

/** The process itself has closed its connection, or ended the session. */
export const isClosed = (error: unknown): boolean => CLOSED.some((one) => error instanceof one);
const CLOSED = [
  MongoClientClosedError,
  MongoExpiredSessionError,
  MongoNotConnectedError,
  MongoTopologyClosedError,
];

/** Whether a server answered, so that it is not away. */
export function isAnswer(error: unknown): boolean {
  if (error instanceof MongoServerError && error.code !== undefined) return true;
  return error instanceof Error && error.cause !== undefined && isAnswer(error.cause);
}

/** Whether the user of the connection string was refused. For a service that is temporary, too. */
export function isPermissionError(error: unknown): boolean {
  if (error instanceof MongoServerError) return PERMISSION_CODES.has(error.code);
  return error instanceof Error && error.cause !== undefined && isPermissionError(error.cause);
}

/** Whether a write was refused because a unique index already contains the value. */
export const isDuplicateKey = (
  error: unknown,
): error is MongoServerError & { /** The fields of the index. */ keyPattern: object } =>
  error instanceof MongoServerError && error.code === REFUSED.DuplicateKey;

/** For `catch`: there is no such index. */
export function unlessNoIndex(error: unknown): void {
  if (!(error instanceof MongoServerError && error.code === REFUSED.IndexNotFound)) throw error;
}

/**
 * Waits for an unordered insertMany. Resolves with the indexes of the documents that a unique index
 * refused.
 */
export async function duplicatesOf(inserting: Promise<unknown>): Promise<ReadonlySet<number>> {
  try {
    await inserting;
    return new Set();
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const refusals = [error.writeErrors].flat();
    const isOnlyRefused =
      error.result.getWriteConcernError() === undefined &&
      refusals.every(({ code }) => code === REFUSED.DuplicateKey);
    if (refusals.length === 0 || !isOnlyRefused) throw error;
    return new Set(refusals.map(({ index }) => index));
  }
}
