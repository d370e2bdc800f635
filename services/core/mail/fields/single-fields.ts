/** The header fields that occur only once, in lower case. */

/** In an email (RFC 5322 §3.6). */
export const SINGLE_FIELDS: ReadonlySet<string> = new Set(
  'from sender reply-to to cc bcc subject date message-id in-reply-to references'.split(' '),
);
/** In an email and in each part (RFC 2045 §3). */
export const SINGLE_FIELDS_OF_PART: ReadonlySet<string> = new Set(
  'mime-version content-type content-transfer-encoding content-disposition'.split(' '),
);
