/** D60: `max_per_hour` and `allowed_attachments` of an address, at one gateway and over two. */
import { describe, expect, test } from 'vitest';

import { readConfig } from '../../../services/adapters/process/config.ts';
import type { GatewayCounts } from '../../../services/adapters/messages/gateway-counts.ts';
import { GatewayConfig } from '../../../services/gateway/process/config.ts';
import { startGateway } from '../../../services/gateway/gateway.ts';
import {
  type AddressLimiter,
  createAddressLimiter,
} from '../../../services/gateway/policy/address-limits.ts';
import type { ReceivedMail, Stored } from '../../../services/gateway/receive/received-mail.ts';
import { log, startPipeline } from '../../support/pipeline.ts';
import { dialogue } from '../../support/smtp-play.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { storedMails } from '../stored-mail.ts';

const pipeline = await useInFile(startPipeline({ withDispatcher: false }));
const second = await useInFile(
  startGateway(
    readConfig(GatewayConfig, pipeline.settings),
    log.child({ service: 'second gateway' }),
  ),
);

const PDF = 'JVBERi0xLjQK'; // 9 bytes
const mail = (subject: string, type?: string) =>
  [
    'From: ann@sender.example',
    `Subject: ${subject}`,
    `Message-ID: <${subject}@sender.example>`,
    ...(type === undefined
      ? ['', 'text']
      : [
          `Content-Type: ${type}`,
          'Content-Disposition: attachment; filename="a.pdf"',
          'Content-Transfer-Encoding: base64',
          '',
          PDF,
        ]),
    '.',
    '',
  ].join('\r\n');

/** The first reply that is no success, or that to the whole email. */
async function send(text: string, addresses: string[], port = pipeline.smtpPort): Promise<string> {
  await using smtp = await dialogue(port);
  await smtp.say('EHLO mx.sender.example');
  await smtp.say('MAIL FROM:<ann@sender.example>');
  for (const address of addresses) {
    const reply = await smtp.say(`RCPT TO:<${address}>`);
    if (!reply.startsWith('250')) return reply;
  }
  await smtp.say('DATA');
  return await smtp.say(Buffer.from(text));
}
async function rcpt(address: string, port = pipeline.smtpPort): Promise<string> {
  await using smtp = await dialogue(port);
  await smtp.say('EHLO mx.sender.example');
  await smtp.say('MAIL FROM:<ann@sender.example>');
  return await smtp.say(`RCPT TO:<${address}>`);
}

const TOO_MANY = '450 4.7.1 Too many messages for this address, try again later';

describe('max_per_hour', () => {
  test('one email too many gets 450 at RCPT; refused and repeated ones do not count', async () => {
    const { address } = await pipeline.address('/', {
      max_per_hour: 2,
      allowed_attachments: { types: [], max_bytes: null },
    });
    expect(await send(mail('refused', 'text/csv'), [address])).toMatch(/^550/);
    for (const subject of ['first', 'first', 'second'])
      expect(await send(mail(subject), [address])).toMatch(/^250/);
    expect(await send(mail('third'), [address])).toBe(TOO_MANY);
  });

  test('another gateway counts, too', async () => {
    const { address } = await pipeline.address('/', { max_per_hour: 2 });
    const port = Number(second.announce.smtp_port);
    expect(await send(mail('here'), [address])).toMatch(/^250/);
    expect(await send(mail('there'), [address], port)).toMatch(/^250/);
    await until(
      'both to know',
      async () => (await rcpt(address)) === TOO_MANY && (await rcpt(address, port)) === TOO_MANY,
    );
  });
});

describe('allowed_attachments', () => {
  test('a type and a size that are not allowed are refused, each with its reply', async () => {
    const { address } = await pipeline.address('/', {
      allowed_attachments: { types: ['application/pdf'], max_bytes: 9 },
    });
    const { address: small } = await pipeline.address('/', {
      allowed_attachments: { types: null, max_bytes: 8 },
    });
    expect(await send(mail('text'), [address])).toMatch(/^250/);
    expect(await send(mail('pdf', 'Application/PDF'), [address])).toMatch(/^250/);
    expect(await send(mail('zip', 'application/zip'), [address])).toBe(
      '550 5.7.1 The recipient does not accept attachments of this type',
    );
    expect(await send(mail('big', 'application/pdf'), [small])).toBe(
      '552 5.2.3 An attachment exceeds the size limit of the recipient',
    );
  });

  test('when another recipient accepts the email, it is held', async () => {
    const none = await pipeline.address('/', {
      allowed_attachments: { types: [], max_bytes: null },
    });
    const open = await pipeline.address('/');
    expect(await send(mail('both', 'image/png'), [none.address, open.address])).toMatch(/^250/);
    const [held] = await storedMails(pipeline.nats, none.id);
    expect(held?.event.ruling).toEqual({
      action: 'hold',
      reason: 'attachment_not_allowed',
      rules: [
        {
          name: 'allowed_attachments',
          scope: 'address',
          action: 'refuse',
          result: 'matched',
          error: null,
          is_built_in: true,
        },
      ],
      facts: [{ name: 'attachments', value: '1' }],
    });
  });
});

const HOUR_MS = 3_600_000;
const free = {
  id: 'addr_2',
  account_id: 'acc_1',
  environment: 'live' as const,
  address: 'box@in.example',
};
const one = { ...free, id: 'addr_1', max_per_hour: 2 };

function limiterAt() {
  const clock = { nowMs: 10 * HOUR_MS };
  let hear: ((report: GatewayCounts) => void) | undefined;
  const limiter = createAddressLimiter(
    { report: () => undefined, onReport: (listener) => void (hear = listener) },
    () => clock.nowMs,
  );
  return { limiter, clock, hear: (report: GatewayCounts) => hear?.(report) };
}
type Limited = Parameters<AddressLimiter['check']>[0];
const mailTo = (...recipients: Limited[]) =>
  ({ recipients: recipients.map((recipient) => ({ recipient })) }) as unknown as ReceivedMail;
const storedAt = ({ recipients }: ReceivedMail): Stored =>
  ({
    events: recipients.map(({ recipient: { id } }) => ({ addressId: id, isRepeat: false })),
  }) as unknown as Stored;
const refusal = async (work: () => unknown) => {
  try {
    await work();
    return 'accepted';
  } catch (error) {
    return (error as Error).message;
  }
};
const REFUSED = 'Too many messages for this address, try again later';

describe('the limiter', () => {
  test('counts an hour, and reports of other gateways while they are fresh', async () => {
    const { limiter, clock, hear } = limiterAt();
    const receive = limiter.counted(async (received) => storedAt(received));
    await receive(mailTo(one, free));
    hear({ gateway: 'other', counts: [['addr_1', [1]]] });
    expect(await refusal(() => limiter.check(one))).toBe(REFUSED);
    expect(await refusal(() => limiter.check(free))).toBe('accepted');
    clock.nowMs += 10_000;
    expect(await refusal(() => limiter.check(one))).toBe('accepted');
    await receive(mailTo(one));
    expect(await refusal(() => limiter.check(one))).toBe(REFUSED);
    clock.nowMs += 1.2 * HOUR_MS;
    expect(await refusal(() => limiter.check(one))).toBe('accepted');
  });

  test('emails that are being stored count until they fail', async () => {
    const { limiter } = limiterAt();
    const fails = Promise.withResolvers<Stored>();
    const receive = limiter.counted(() => fails.promise);
    const both = Promise.allSettled([receive(mailTo(one)), receive(mailTo(one))]);
    expect(await refusal(() => limiter.check(one))).toBe(REFUSED);
    expect(await refusal(() => receive(mailTo(one)))).toBe(REFUSED);
    fails.reject(new Error('not stored'));
    await both;
    expect(await refusal(() => limiter.check(one))).toBe('accepted');
  });

  test('one reply for all: another recipient below its limit accepts the email', async () => {
    const { limiter } = limiterAt();
    const receive = limiter.counted(async (received) => storedAt(received));
    const last = { ...free, id: 'addr_3', max_per_hour: 1 };
    await receive(mailTo(last));
    expect(await refusal(() => receive(mailTo(last)))).toBe(REFUSED);
    expect(await refusal(() => receive(mailTo(last, one)))).toBe('accepted');
  });
});
