/**
 * The id of a question to a deciding hook. A question is signed like a webhook, so its id says what it
 * is: a receiver of webhooks refuses it (D172).
 */
export const QUESTION_PREFIX = 'ask_';

/** @param eventId that the email gets if it is stored */
export const questionId = (eventId: string): string =>
  QUESTION_PREFIX + eventId.slice(eventId.indexOf('_') + 1);
