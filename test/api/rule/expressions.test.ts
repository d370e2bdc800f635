/** POST /v1/expressions/test: on a stored email, on a posted one, and what is refused. */
import { expect, test } from 'vitest';

import { startInProcess } from '../../support/start-in-process.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';

const whole = await useInFile(startInProcess());

const PATH = '/v1/expressions/test';
const RAW = 'From: Ann <ann@sender.example>\r\nTo: to@in.example.com\r\nSubject: Hé\r\n\r\nbody';
const tried = async (body: object, token?: string) =>
  whole.api.ask('POST', PATH, { body, ...(token !== undefined && { token }) });

test('a stored email is evaluated, for its own account only', async () => {
  const address = await whole.address('/filtered');
  await whole.pipeline.mailer.sendMail({
    from: 'ann@sender.example',
    to: address.address,
    subject: 'order 7',
    text: 'secret',
    attachments: [{ filename: 'a.pdf', content: Buffer.from('x') }],
  });
  const eventId = await until('a delivery', async () => {
    const { body } = await whole.api.ask('GET', `/v1/deliveries?address_id=${address.id}`);
    const [item] = body.data as { event_id: string; status: string }[];
    return item?.status === 'delivered' ? item.event_id : undefined;
  });
  const when =
    'subject == "order 7" && attachments.exists(a, a.filename == "a.pdf" && a.size_bytes == 1)';
  const { status, body } = await tried({ when, event_id: eventId });
  expect([status, body]).toEqual([200, { result: true, error: null, warnings: [] }]);
  const other = await whole.api.newAccount();
  const { token } = await whole.api.issue({ accountId: other.id });
  expect((await tried({ when, event_id: eventId }, token)).status).toBe(404);
});

test('a posted email is parsed, and is not authenticated', async () => {
  const when =
    'from.domain == "sender.example" && envelope.rcpt_to == ["x"] || subject == "Hé" && ' +
    'authentication.spf == "none" && "to@in.example.com" in envelope.rcpt_to';
  expect((await tried({ when, email: RAW })).status).toBe(422); // lists cannot be compared
  const email = when.replace('envelope.rcpt_to == ["x"] ||', 'envelope.mail_from != "" &&');
  for (const source of [{ email: RAW }, { email_base64: Buffer.from(RAW).toString('base64') }]) {
    const { body } = await tried({ when: email, ...source });
    expect(body).toMatchObject({ result: true, error: null });
    expect(JSON.stringify(body.warnings)).toContain('not authenticated');
  }
  const big = `${RAW}${'x'.repeat(250 * 1024)}`;
  expect((await tried({ when: 'size_bytes > 256000', email: big })).body).toMatchObject({
    result: true,
  });
});

test('an error at run time is in the response; any other fault is refused', async () => {
  const failing = await tried({ when: 'headers["x"] == "1"', email: RAW });
  expect(failing.body).toMatchObject({
    result: null,
    error: { message: 'No such key: x', position: 0 },
  });
  const malformed = await tried({ when: 'is_list || size_bytes > "5"', email: RAW });
  expect([malformed.status, malformed.body]).toMatchObject([
    422,
    { details: { field: 'when', code: 'invalid_value', position: 11 } },
  ]);
  expect((await tried({ when: 'true' })).body).toMatchObject({
    details: { field: 'event_id', code: 'conflict' },
  });
  expect((await tried({ when: 'true', email: 'x'.repeat(257 * 1024) })).body).toMatchObject({
    details: { field: 'email', code: 'too_long' },
  });
  expect((await tried({ when: 'true', email: 'x'.repeat(400 * 1024) })).status).toBe(413);
  const { token } = await whole.api.issue({ permissions: ['addresses:read'] });
  expect((await tried({ when: 'true', email: RAW }, token)).status).toBe(403);
});
