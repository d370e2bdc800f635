/** The refusals of an API server, with its reasons and messages. */
import { type Definition, qualifiedName } from './definitions.ts';

/** Becomes a response of kind `Status`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

export const notFound = (definition: Definition, name: string) =>
  new ApiError(404, 'NotFound', `${qualifiedName(definition)} "${name}" not found`);

export const alreadyExists = (definition: Definition, name: string) =>
  new ApiError(409, 'AlreadyExists', `${qualifiedName(definition)} "${name}" already exists`);

export const conflict = (definition: Definition, name: string, why: string) =>
  new ApiError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualifiedName(definition)} "${name}": ${why}`,
  );

export const HAS_CHANGED =
  'the object has been modified; please apply your changes to the latest version and try again';

export const invalid = ({ kind, group }: Definition, name: string, why: string) =>
  new ApiError(
    422,
    'Invalid',
    `${group === '' ? kind : `${kind}.${group}`} "${name}" is invalid: ${why}`,
  );

export const expired = (why: string) => new ApiError(410, 'Expired', why);

/** What the tests have not needed yet. */
export const notModelled = (what: string) =>
  new ApiError(501, 'NotImplemented', `the API server of tests does not model ${what}`);

export const statusOf = ({ status: code, reason, message }: ApiError) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  code,
});
