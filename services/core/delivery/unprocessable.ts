/** Emails that Inlet itself cannot process, however often it tries (D162). */

/** What is wrong, in words for the owner of the email. An operator can mend it. */
export class Unprocessable extends Error {
  override readonly name = 'Unprocessable';
  readonly reason: string;

  /** @param detail for the log only */
  constructor(reason: string, detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.reason = reason;
  }
}

const UNKNOWN = 'an error inside Inlet, which its operator finds in the log';

/** For the record of the email. Other errors can name what is nobody's business, so they do not show. */
export function unprocessableReason(error: unknown): string {
  if (error instanceof Unprocessable) return error.reason;
  return error instanceof Error && error.cause !== undefined
    ? unprocessableReason(error.cause)
    : UNKNOWN;
}
