/** D174: no email is too long for a hook to be asked about it. */
import { expect, test } from 'vitest';

import { INLINE_PAYLOAD_MAX_BYTES } from '../../../services/core/mail/mail-size.ts';
import { hookBody } from '../../../services/core/webhook/hook-payload.ts';
import { emailPayload } from '../../../services/core/webhook/build-payload.ts';
import { NOTHING_READ, type ParsedMail } from '../../../services/core/webhook/payload.ts';
import { mailWith, payloadFacts } from '../../support/payload-facts.ts';

const control = (count: number) => '\x01'.repeat(count);
const many = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);
const header = { name: 'X-A', value: 'y'.repeat(900) };
const attachment = {
  filename: control(1_000),
  contentType: 'text/plain',
  content: Buffer.from('x'),
  contentId: control(1_000),
  disposition: null,
  method: null,
};

const PADDED: Record<string, Partial<ParsedMail>> = {
  'texts of control characters': { text: control(72_000), html: control(72_000) },
  'texts that are as long as they may be': {
    text: control(5_000_000),
    html: '"'.repeat(5_000_000),
    replyText: control(5_000_000),
  },
  'many headers': { headers: { ...NOTHING_READ.headers, all: many(640, header) } },
  'very many headers': {
    headers: {
      ...NOTHING_READ.headers,
      all: many(20_000, { name: control(900), value: control(900) }),
    },
  },
  'many attachments': { attachments: many(5_000, attachment) },
  'a long subject': { headers: { ...NOTHING_READ.headers, subject: control(1_000_000) } },
  'many warnings': { warnings: many(5_000, { code: 'too_deep', message: control(900) }) },
};

test.each(Object.entries(PADDED))('%s: fits, with a mark', (_, padding) => {
  const body = hookBody(emailPayload(payloadFacts({ mail: mailWith(padding) })), undefined);
  expect(body.byteLength).toBeLessThanOrEqual(INLINE_PAYLOAD_MAX_BYTES);
  const payload = JSON.parse(body.toString()) as {
    event_id: string;
    parse_warnings: { code: string }[];
  };
  expect(payload.event_id).toMatch(/^ask_/);
  expect(payload.parse_warnings.map(({ code }) => code)).toContain('cut_for_hook');
});

test('an email that fits is whole, without a mark', () => {
  expect(
    JSON.parse(
      hookBody(
        emailPayload(payloadFacts({ mail: mailWith({ text: 'hello' }) })),
        undefined,
      ).toString(),
    ),
  ).toMatchObject({
    content: { text: 'hello' },
    parse_warnings: [],
  });
});
