/**
 * Refusals as text for a language model: one line of JSON for each. A stranger chose sender and mailbox,
 * and no rule decided that a model may read the subject, so it is left out.
 */
import type { RefusalView } from '../refusal/refusal-view.ts';
import { type ListedPage, listText, shownLine } from './fence.ts';

const FIELD_MAX_CHARS = 200;

const itemOf = ({ id, address_id, reason, count, first_at, last_at, ...one }: RefusalView) => ({
  id,
  mailbox: shownLine(one.mailbox, FIELD_MAX_CHARS),
  address_id,
  sender: shownLine(one.mail_from, FIELD_MAX_CHARS),
  reason,
  decided_by: one.decided_by && shownLine(one.decided_by.name, FIELD_MAX_CHARS),
  count,
  first_at,
  last_at,
});

export const refusalListText = (
  refusals: readonly RefusalView[],
  page: ListedPage,
  mark: string,
): string =>
  listText(refusals.map(itemOf), page, mark, {
    none: 'Nothing was refused.',
    noFurther: 'There are no further refusals.',
    some: (shown) =>
      `${shown} records of refused email, the last one first. Nothing of these emails is stored.`,
  });
