/**
 * The wire format of the messages in the streams MAIL-p, RETRY-p and FAILED. This is the only file
 * that writes or reads their headers. Gateways and dispatchers of different versions run next to
 * each other during an upgrade, and FAILED keeps messages for weeks: change it compatibly.
 *
 * | header | lanes | value |
 * |-----------------|---------------------|--------------------------------------------------------|
 * | Inlet-Event | MAIL, RETRY, FAILED | MailEvent as ASCII JSON |
 * | Inlet-Due | RETRY | time of the next attempt, milliseconds since 1970 |
 * | Inlet-Stored-At | RETRY | StoredAt as JSON: the message's first place, in MAIL-p |
 * | Inlet-Revision | RETRY, FAILED | revision of its delivery record; absent for 0 |
 *
 * The body is the payload. If `payload_in` of the event is `bucket`, the body is empty and the
 * payload is the object named by the event id in the bucket BODIES (claim check).
 *
 * For an event whose payload is encrypted, `payload_in` is written as `sealed_message` or
 * `sealed_bucket`. Releases that cannot decrypt refuse such an event, and do not post its bytes.
 */
import { headers, type MsgHdrs } from '@nats-io/transport-node';

import {
  type EmailOf,
  type MailEvent,
  type MailFacts,
  StoredAt,
} from '../../../core/delivery/mail-event.ts';
import {
  CONTENT_UNREADABLE,
  type ContentKey,
  type ContentKeys,
} from '../../../core/secret/content-key.ts';
import { Unprocessable } from '../../../core/delivery/fault.ts';
import type { ExpectedEmail } from '../../../core/address/expectation.ts';
import { UNSENT } from '../../../core/delivery/delivery-end.ts';
import type { TextWords } from '../../../core/mail/text-words.ts';
import { INLINE_PAYLOAD_MAX_BYTES } from '../../../core/mail/mail-size.ts';
import {
  type PayloadPiece,
  writtenBytes,
  writtenLength,
} from '../../../core/webhook/payload-bytes.ts';
import { openBytes, type ContentLocation, sealBytes } from '../objects/sealed-content.ts';
import { storableJson } from '../../../core/text/text.ts';

const EVENT = 'Inlet-Event';
const DUE = 'Inlet-Due';
const STORED_AT = 'Inlet-Stored-At';
const REVISION = 'Inlet-Revision';
const SEALED = 'sealed_';

/** The fields that only messages of the RETRY lane carry. */
type RetryPlace = { storedAt: StoredAt; dueAt: Date; revision: number };

/** The event and the message body of a new email. */
type NewMessage = { event: MailEvent; body: Uint8Array | '' };

/**
 * Decides where the payload is stored. A large one leaves the message body empty: see above.
 * @param key encrypts the payload; undefined: it is stored as it is
 */
export function newMessage(
  facts: MailFacts,
  payload: readonly PayloadPiece[],
  key?: ContentKey,
): NewMessage {
  const payload_bytes = writtenLength(payload);
  const isInBucket = payload_bytes > INLINE_PAYLOAD_MAX_BYTES;
  const event: MailEvent = {
    ...facts,
    payload_bytes,
    payload_in: isInBucket ? 'bucket' : 'message',
  };
  if (isInBucket) return { event: key ? { ...event, seal: OBJECT_SEAL } : event, body: '' };
  const body = writtenBytes(payload);
  if (key === undefined) return { event, body };
  const { seal, sealed } = sealBytes(body, key, locationOf(event));
  return { event: { ...event, seal }, body: sealed };
}

/** The object has its own seal. */
const OBJECT_SEAL = 'object';

const locationOf = ({ event_id, account_id }: MailFacts): ContentLocation => ({
  store: 'message',
  accountId: account_id,
  name: event_id,
});

/**
 * The payload of a message, decrypted.
 * @param keys undefined when the event has no seal
 * @throws Unprocessable when it was changed, or is of another event; MissingContentKey
 */
export function openPayload(
  event: MailEvent,
  data: Uint8Array,
  keys: ContentKeys | undefined,
): Uint8Array {
  if (event.seal === undefined || event.payload_in === 'bucket') return data;
  if (keys === undefined)
    throw new Unprocessable(CONTENT_UNREADABLE, `no key of ${event.event_id}`);
  return openBytes(data, event.seal, keys, locationOf(event));
}

/** Headers of a message in MAIL-p. */
export function writeHeaders(event: MailEvent): MsgHdrs {
  const fields = headers();
  fields.set(
    EVENT,
    asciiJson(
      event.seal === undefined ? event : { ...event, payload_in: SEALED + event.payload_in },
    ),
  );
  return fields;
}

/** Headers of a message in FAILED. */
export const writeFailedHeaders = (event: MailEvent, revision: number): MsgHdrs =>
  withRevision(writeHeaders(event), revision);

function withRevision(fields: MsgHdrs, revision: number): MsgHdrs {
  if (revision > 0) fields.set(REVISION, String(revision));
  return fields;
}

/** Headers of a message in RETRY-p. */
export function writeRetryHeaders(
  event: MailEvent,
  { storedAt, dueAt, revision }: RetryPlace,
): MsgHdrs {
  const fields = writeHeaders(event);
  fields.set(DUE, String(dueAt.getTime()));
  fields.set(STORED_AT, storableJson(storedAt));
  return withRevision(fields, revision);
}

/**
 * Checks what other code relies on. A schema would cost 3 % of a dispatcher's CPU.
 * @throws when the message carries no event
 */
export function readEvent(fields: MsgHdrs | undefined): MailEvent {
  const event = JSON.parse(fields?.get(EVENT) || 'null') as MailEvent | null;
  if (event === null) throw new Error('message has no Inlet-Event header');
  if (event.seal !== undefined && isText(event.payload_in) && event.payload_in.startsWith(SEALED))
    event.payload_in = event.payload_in.slice(SEALED.length) as MailEvent['payload_in'];
  const wrong = Object.entries(FIELDS).find(([name, isValid]) => !isValid(event[name as Field]));
  if (wrong) throw new Error(`Inlet-Event has no valid ${wrong[0]}`);
  return event;
}

type Field = keyof MailEvent;
const ID = /^[\w-]{1,64}$/;
const LATEST_MS = 8.64e15; // the range of a Date
const isId = (value: unknown) => typeof value === 'string' && ID.test(value);
const isEmailOf = (email: EmailOf | null) => isId(email?.address_id) && isId(email?.event_id);
const isTextWords = (words: TextWords | null) => isText(words?.packed) && isCount(words?.until_ms);
const isExpected = (email: ExpectedEmail | null) =>
  isCount(email?.since_ms) && isCount(email?.until_ms);
const isText = (value: unknown) => typeof value === 'string';
const isTextOrNull = (value: unknown) => value === null || typeof value === 'string';
const isObjectOrAbsent = (value: unknown) =>
  value === undefined || (typeof value === 'object' && value !== null);
const isCount = (value: unknown) =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= LATEST_MS;
const FIELDS: Record<Field, (value: unknown) => boolean> = {
  event_id: isId,
  account_id: isId,
  environment: (value) => value === 'live' || value === 'test',
  address_id: isId,
  email: (value) => value === undefined || isEmailOf(value as EmailOf | null),
  mail_from: isText,
  from: isTextOrNull,
  subject: isTextOrNull,
  size_bytes: isCount,
  received_at_ms: isCount,
  payload_bytes: isCount,
  payload_in: (value) => value === 'message' || value === 'bucket',
  seal: (value) => value === undefined || isText(value),
  recipients: (value) => value === undefined || (Array.isArray(value) && value.every(isText)),
  unsent: (value) => value === undefined || UNSENT.some((one) => one === value),
  filter_error: (value) => value === undefined || isText(value),
  verdict: isObjectOrAbsent,
  thread_id: (value) => value === undefined || isText(value),
  tags: (value) => value === undefined || (Array.isArray(value) && value.every(isText)),
  has_attachments: (value) => value === undefined || value === true,
  ruling: isObjectOrAbsent,
  storage: isObjectOrAbsent,
  expected: (value) => value === undefined || isExpected(value as ExpectedEmail | null),
  text_words: (value) => value === undefined || isTextWords(value as TextWords | null),
};

/** Without a readable due time the message is due now. @throws when it has no first place */
export const readRetryPlace = (fields: MsgHdrs | undefined): RetryPlace => ({
  storedAt: StoredAt.parse(JSON.parse(fields?.get(STORED_AT) || 'null')),
  dueAt: new Date(Number(fields?.get(DUE)) || 0),
  revision: readRevision(fields),
});

/** The revision of a message in RETRY-p or FAILED. */
export const readRevision = (fields: MsgHdrs | undefined): number =>
  Number(fields?.get(REVISION)) || 0;

/** JSON in ASCII: NATS clients differ in the charset of header values. */
const asciiJson = (value: unknown): string =>
  storableJson(value).replace(
    /[\u007f-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
