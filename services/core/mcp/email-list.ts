/** Lists of emails as text for a language model: one line of JSON for each. */
import type { z } from 'zod';

import type { DeliveryListItem } from '../delivery/delivery-view.ts';
import { isWithheld } from '../api/withheld.ts';
import { fenced, type ListedPage, listText, shownLine } from './fence.ts';
import { storableJson } from '../text/text.ts';

const FIELD_MAX_CHARS = 300;

type ListedEmail = Pick<
  z.infer<typeof DeliveryListItem>,
  | 'event_id'
  | 'address_id'
  | 'from'
  | 'mail_from'
  | 'recipient'
  | 'subject'
  | 'received_at'
  | 'size_bytes'
  | 'thread_id'
  | 'status'
>;

/** An email that is withheld has no words of its sender: not even its subject is shown to a model. */
function itemOf({ from, mail_from, recipient, subject, status, ...ids }: ListedEmail) {
  const { event_id, address_id, thread_id, received_at, size_bytes } = ids;
  if (isWithheld({ status })) return { event_id, address_id, received_at, status };
  return {
    event_id,
    address_id,
    thread_id,
    received_at,
    from: shownLine(from ?? mail_from, FIELD_MAX_CHARS),
    to: shownLine(recipient, FIELD_MAX_CHARS),
    subject: shownLine(subject, FIELD_MAX_CHARS),
    size_bytes,
  };
}

export const emailListText = (
  emails: readonly ListedEmail[],
  page: ListedPage,
  mark: string,
): string =>
  listText(emails.map(itemOf), page, mark, {
    none: 'There are no such emails.',
    noFurther: 'There are no further emails.',
    some: (shown) => `${shown} emails, newest first. get_email reads one by its event_id.`,
  });

/** @param mark random, for this response only */
export const awaitedEmailText = (email: ListedEmail, mark: string): string =>
  fenced(
    [
      `An email arrived: ${email.event_id}. get_email reads it, get_codes_and_links finds codes in it.`,
      `To wait for the one after it, call wait_for_email with after: ${email.event_id}.`,
    ],
    storableJson(itemOf(email)),
    mark,
  );
