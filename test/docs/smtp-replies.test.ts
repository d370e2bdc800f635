/** docs/smtp.md lists every refusal that the gateway can give. */
import { expect, test } from 'vitest';

import * as smtpReplies from '../../services/core/smtp/smtp-reply.ts';
import { readPage } from './pages.ts';

test('the page lists every refusal with its code and name', async () => {
  const { text } = await readPage('docs/smtp.md');
  const [, table = ''] = /<!-- replies -->([\s\S]*?)<!-- \/replies -->/.exec(text) ?? [];
  const rows = [...table.matchAll(/^\| `(\d{3} [\d.]+)` \| `(\w+)` \|/gm)].map(
    ([, reply, name]) => `${name} ${reply}`,
  );
  const replies = Object.values<unknown>(smtpReplies).filter(isReply);
  expect(rows.toSorted()).toEqual(
    replies.map(({ name, code, enhanced }) => `${name} ${code} ${enhanced}`).toSorted(),
  );
});

const isReply = (value: unknown): value is smtpReplies.SmtpReply =>
  typeof value === 'object' && value !== null && 'enhanced' in value;
