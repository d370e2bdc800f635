/** No author is known, and none becomes known. */
import type { AuthorAnswers } from '../../services/gateway/content/author-answers.ts';

export const noAuthors: AuthorAnswers = {
  find: () => Promise.resolve(new Map()),
  add: () => Promise.resolve(),
};
