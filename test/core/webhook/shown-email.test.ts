/** Emails as a page shows them: with a text of bounded length, and without HTML. */
import { describe, expect, test } from 'vitest';

import {
  shownEmail,
  ShownEmail,
  TEXT_MAX_CHARS,
} from '../../../services/core/webhook/shown-email.ts';
import { EXAMPLE_PAYLOAD } from '../../../services/core/webhook/example.ts';

describe('shownEmail', () => {
  test('says whether there is HTML, and has none', () => {
    const view = shownEmail({
      ...EXAMPLE_PAYLOAD,
      content: { text: null, html: '<p>x', size_bytes: 9 },
    });
    expect(view.content).toEqual({ text: null, size_bytes: 9, is_cut: false, has_html: true });
    expect(ShownEmail.parse(view)).toBeDefined();
  });

  test('cuts a long text, and says so', () => {
    const text = 'x'.repeat(TEXT_MAX_CHARS + 1);
    const { content } = shownEmail({
      ...EXAMPLE_PAYLOAD,
      content: { text, html: null, size_bytes: 9 },
    });
    expect([content.text?.length, content.is_cut, content.has_html]).toEqual([
      TEXT_MAX_CHARS,
      true,
      false,
    ]);
  });
});
