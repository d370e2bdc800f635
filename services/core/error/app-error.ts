/** Errors for callers, by kind. Only api/ knows HTTP statuses (D4, D5). */

export type AppErrorKind =
  | 'validation_failed'
  | 'invalid_json'
  | 'unauthorized'
  | 'forbidden'
  | 'https_required'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'rate_limit_exceeded'
  | 'unavailable'
  | 'internal_error'
  | 'bad_request'
  | 'request_timeout'
  | 'headers_too_large'; // the last three are about HTTP itself

/** Rules a field can break (D4), and what follows the name of the field in a message. */
export const RULE_TEXT = {
  required: 'is required',
  invalid_type: 'has the wrong type',
  invalid_url:
    'must be a URL like https://example.com/hook: a port up to 65535, no user name, no fragment (#)',
  not_https: 'must be an https URL',
  not_public: 'must be publicly reachable',
  too_small: 'is too small',
  too_big: 'is too big',
  too_long: 'is too long',
  unknown_field: 'is not a known field',
  conflict: 'conflicts with another field',
  invalid_value: 'has a value that is not allowed',
} as const;
export type FieldRule = keyof typeof RULE_TEXT;
export const FIELD_RULES = Object.keys(RULE_TEXT) as FieldRule[];

/** The position is that of an error in an expression, in characters from 0. */
export type FieldFault = { field: string; code: FieldRule; position?: number };

/** A zod issue that names its rule, for checks that zod does not have. */
export const issueOf = <T>(rule: FieldRule, input: T, message?: string) => ({
  code: 'custom' as const,
  params: { rule },
  input,
  ...(message !== undefined && { message }),
});

/** What became of one recipient of a submitted email. */
export type SubmittedRecipient = {
  recipient: string;
  result: 'accepted' | 'refused' | 'try_again';
  reply: string;
  event_id: string | null;
};

type AppErrorOptions = {
  details?: FieldFault;
  /** When to retry: part of `rate_limit_exceeded` and `unavailable`. */
  retryAfterSeconds?: number;
  /** For a submitted email. */
  recipients?: readonly SubmittedRecipient[];
  cause?: unknown;
};

/** Its message is for the caller; its cause, if any, is for the log. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly kind: AppErrorKind;
  readonly details: FieldFault | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly recipients: readonly SubmittedRecipient[] | undefined;

  constructor(
    kind: AppErrorKind,
    message: string,
    { details, retryAfterSeconds, recipients, cause }: AppErrorOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.details = details;
    this.retryAfterSeconds = retryAfterSeconds;
    this.recipients = recipients;
  }
}

/** Suggested wait when a dependency is unavailable. */
export const RETRY_AFTER_SECONDS = 2;

/** Also for resources of other accounts: their existence is never revealed. */
export const notFound = (what: string) => new AppError('not_found', `There is no such ${what}`);

/** What was found. @throws AppError `not_found` for undefined */
export function orNotFound<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw notFound(what);
  return found;
}

/** The value of a field is taken or reserved. */
export const fieldConflict = (field: string, message: string) =>
  new AppError('conflict', message, { details: { field, code: 'conflict' } });

/** A dependency is unavailable; the caller may retry soon. */
export const unavailable = (cause: unknown) =>
  new AppError('unavailable', 'Temporarily unavailable. Try again soon', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });

/** The refusal of one more when there are as many as there may be: the same words for every noun. */
export const tooMany = (
  noun: string,
  maximum: number,
  owner: 'account' | 'address' | 'environment of an account',
  remedy: 'delete' | 'verify or delete' = 'delete',
): AppError =>
  new AppError(
    'conflict',
    `An ${owner} has at most ${maximum} ${noun}, and this one has as many: ${remedy} one first`,
  );
