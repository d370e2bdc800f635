/**
 * What `receive` makes of an email, next to its payload: the digest, and the warning about line
 * ends.
 */
import { expect, test } from 'vitest';

import type { StoreMail } from '../../../services/adapters/stream/store.ts';
import {
  digestOfRaw,
  foldDigest,
  type MailFacts,
} from '../../../services/core/delivery/mail-event.ts';
import { NOT_CHECKED } from '../../../services/core/mail/spam.ts';
import type { Virus } from '../../../services/core/mail/virus.ts';
import {
  type BudgetOf,
  createEmailBudgets,
  noBudget,
} from '../../../services/core/expression/budget.ts';
import { SPEC_PAYLOAD } from '../../../services/core/receiver/payload-settings.ts';
import { writtenBytes } from '../../../services/core/webhook/payload-bytes.ts';
import type { WebhookPayload } from '../../../services/core/webhook/payload.ts';
import type { Recipient } from '../../../services/core/address/recipient.ts';
import { createReceive, type ReceiveMetrics } from '../../../services/gateway/receive/receive.ts';
import type {
  SkippedStages,
  ReceivedMail,
} from '../../../services/gateway/receive/received-mail.ts';
import { fullMail } from '../../fixtures/full-mail.ts';

const UNLIMITED = createEmailBudgets({ cpuMs: () => 0, nowMs: () => 0, minuteCpuMs: 1 });
const noFile = () => Promise.reject(new Error('there is no file'));

const noMetrics = new Proxy({}, { get: () => () => undefined }) as unknown as ReceiveMetrics;
const recipient = { id: 'addr_1', account_id: 'acc_1', environment: 'live' } as Recipient;

const INFECTED = [{ index: 1, filename: 'b.exe', name: 'Eicar' }];
const scanned = (verdict: Virus['verdict']): Virus => ({
  verdict,
  name: verdict === 'infected' ? 'Eicar' : null,
  scanner: 'clamd',
  attachments: [],
});
type Options = {
  trace?: string;
  foldsRepeats?: boolean;
  transactionId?: string;
  virus?: Virus;
  skipped?: SkippedStages;
  rules?: Recipient['rules'];
  when?: string;
  fixed?: ReceivedMail['fixed'];
  receivers?: Recipient['receivers'];
  others?: Recipient[];
  budgetOf?: BudgetOf;
};

async function receiveOne(
  raw: Buffer,
  {
    trace = '',
    foldsRepeats = true,
    transactionId = 'one',
    virus,
    skipped,
    rules,
    when,
    fixed,
    receivers,
    others = [],
    budgetOf = UNLIMITED(),
  }: Options = {},
) {
  const stored: ({ payload: WebhookPayload; digest: string } & Pick<
    MailFacts,
    'ruling' | 'unsent' | 'filter_error' | 'address_id'
  >)[] = [];
  const storeMail: StoreMail = async (facts, payload, digest) => {
    const { ruling, unsent, filter_error, address_id } = facts;
    stored.push({
      ruling,
      unsent,
      filter_error,
      address_id,
      payload: JSON.parse(writtenBytes(payload).toString()) as WebhookPayload,
      digest,
    });
    return { isRepeat: false };
  };
  const receive = createReceive(
    {
      checkSender: async () => ({ authentication: undefined, rspamd: undefined, virus }),
      virusScan: {
        withFiles: async (found) =>
          found.verdict === 'infected' ? { ...found, attachments: INFECTED } : found,
      },
      spamThreshold: 5,
      textSearchedMs: 0,
      foldsRepeats,
      askHook: () => Promise.reject(new Error('there is no hook')),
      askAuthors: () => Promise.reject(new Error('no expression asks')),
      storeMail,
      files: { storeRaw: noFile, storeAttachments: noFile },
      link: undefined,
      maxBytes: 1e9,
      budgets: () => budgetOf,
      onFixed: () => undefined,
      metrics: noMetrics,
    },
    () => new Date(),
    (bytes) => Buffer.alloc(bytes),
  );
  const withReceived = Buffer.concat([Buffer.from(trace), raw]);
  const { bareLineEnds, events } = await receive({
    transactionId,
    raw: withReceived.subarray(trace.length),
    withReceived,
    envelope: { mailFrom: 'a@x.example', heloDomain: '', remoteIp: '' },
    recipients: [
      {
        recipient: {
          ...recipient,
          ...(rules && { rules }),
          ...(when && { when }),
          ...(receivers && { receivers }),
        },
        named: new Map([['b@in.example', 'b@in.example']]),
      },
      ...others.map((other) => ({ recipient: other, named: new Map([['c@in.example', 'c']]) })),
    ],
    ...(skipped && { skipped }),
    fixed,
    isUtf8: false,
    repliesEach: false,
    receivedAt: new Date(1_767_225_600_000),
    replyBy: new Date(Date.now() + 60_000),
  });
  const [only] = stored;
  if (only === undefined) throw new Error('nothing was stored');
  return { ...only, stored, bareLineEnds, eventIds: events.map(({ eventId }) => eventId) };
}

test('the digest is of the email as the client sent it, not of our headers above it', async () => {
  const { digest, payload } = await receiveOne(fullMail, { trace: 'Received: by us\r\n' });
  const verdict = { spf: 'none', dkim: 'none', dmarc: 'none', spam: 'not_spam' } as const;
  const raw = digestOfRaw(fullMail);
  expect(digest).toBe(foldDigest('addr_1', ['b@in.example'], 'a@x.example', raw, verdict));
  expect(payload.headers.all[0]).toEqual({ name: 'Received', value: 'by us' });
});

test.each([
  ['D32: without a Message-ID', Buffer.from('Subject: alarm\r\n\r\ndoor open\r\n'), true],
  ['with DUPLICATE_WINDOW=0s', fullMail, false],
])(
  '%s, only the same transaction has the same digest and event id',
  async (_, raw, foldsRepeats) => {
    const first = await receiveOne(raw, { foldsRepeats });
    const again = await receiveOne(raw, { foldsRepeats });
    const other = await receiveOne(raw, { foldsRepeats, transactionId: 'two' });
    expect([again.digest, again.eventIds]).toEqual([first.digest, first.eventIds]);
    expect(other.digest).not.toBe(first.digest);
    expect(other.eventIds).not.toEqual(first.eventIds);
  },
);

test('D32: with a Message-ID, the digest is the same in every transaction, the event id is not', async () => {
  const first = await receiveOne(fullMail);
  const other = await receiveOne(fullMail, { transactionId: 'two' });
  expect(other.digest).toBe(first.digest);
  expect(other.eventIds).not.toEqual(first.eventIds);
});

test('a line end that is not CRLF causes a warning; in our headers it does not', async () => {
  const raw = Buffer.from('Subject: x\r\n\r\none\ntwo\r\n');
  const { bareLineEnds, payload } = await receiveOne(raw);
  expect(bareLineEnds).toBe(true);
  expect(payload.parse_warnings).toMatchObject([{ code: 'bare_line_ends' }]);
  expect((await receiveOne(fullMail, { trace: 'By: us\n' })).bareLineEnds).toBe(false);
});

test('D59: the payload has virus only if something scans', async () => {
  expect((await receiveOne(fullMail)).payload).not.toHaveProperty('virus');
  for (const verdict of ['clean', 'not_scanned', 'error'] as const)
    expect((await receiveOne(fullMail, { virus: scanned(verdict) })).payload.virus).toEqual(
      scanned(verdict),
    );
  const { virus } = (await receiveOne(fullMail, { virus: scanned('infected') })).payload;
  expect(virus).toEqual({ ...scanned('infected'), attachments: INFECTED });
});

const TOO_LONG = { code: 'parse_timeout', message: 'too long' } as const;
const RULE = { name: 'executables', when: "attachments.exists(a, a.filename.endsWith('.exe'))" };

test.each<[string, Options, object]>([
  ['an email whose content', { skipped: { content: TOO_LONG } }, { action: 'hold', reason: 'cut' }],
  [
    'an email whose rules',
    { skipped: { rules: TOO_LONG } },
    { action: 'hold', reason: 'not_evaluated' },
  ],
  ['an email that is read, and nothing that', {}, { action: null }],
])('D174: %s took too long is ruled on where a rule refuses', async (_, options, ruling) => {
  const rules = [{ ...RULE, action: 'refuse' as const }];
  const stored = await receiveOne(Buffer.from('Subject: x\r\n\r\none\r\n'), {
    ...options,
    rules,
  });
  expect(stored.ruling).toMatchObject(ruling);
  const { ruling: none } = await receiveOne(Buffer.from('Subject: x\r\n\r\none\r\n'), options);
  expect(none).toBeUndefined();
});

test('X.4: an email that is handled again has the same first_seen as before', async () => {
  const raw = Buffer.from('Subject: x\r\n\r\none\r\n');
  const sender = { authentication: undefined, rspamd: undefined, virus: undefined };
  const fixedBy = (firstSeen: boolean) => ({
    sender,
    spam: NOT_CHECKED,
    folds: false,
    authors: [{ firstSeen }],
    decided: [{ tags: [], ruling: null }],
  });
  const again = (firstSeen: boolean) =>
    receiveOne(raw, { when: 'first_seen', fixed: fixedBy(firstSeen) });
  expect((await again(false)).unsent).toBe('filtered');
  expect((await again(true)).unsent).toBeUndefined();
});

const PROOF = 'authentication.dmarc == "pass"';
const further = (id: string, when: string | null) =>
  ({ id, url: 'https://x.example', when, payload: SPEC_PAYLOAD }) as unknown as NonNullable<
    Recipient['receivers']
  >[number];
const HELD = { action: 'hold', reason: 'not_evaluated' };

test('D308: a filter without time holds the email for its receiver, and for no other one', async () => {
  const { stored } = await receiveOne(fullMail, {
    budgetOf: noBudget,
    receivers: [further('rcv_all', null), further('rcv_proof', PROOF)],
  });
  expect(stored.map(({ address_id, ruling }) => [address_id, ruling?.reason])).toEqual([
    ['addr_1', undefined],
    ['rcv_all', undefined],
    ['rcv_proof', 'not_evaluated'],
  ]);
  expect(stored[2]).toMatchObject({
    ruling: HELD,
    filter_error: undefined, // it would say that the filter counted as true
    payload: { parse_warnings: [{ code: 'rules_timeout' }] },
  });
});

test('D308: so does the filter of the address: it is neither sent nor filtered', async () => {
  const { stored } = await receiveOne(fullMail, { budgetOf: noBudget, when: PROOF });
  expect(stored).toMatchObject([{ ruling: HELD, unsent: undefined }]);
});

test('D308: the slow rules of an account switch off neither rules nor filters of another', async () => {
  const other = { ...recipient, id: 'addr_2', account_id: 'acc_2', when: PROOF } as Recipient;
  const { stored } = await receiveOne(fullMail, {
    budgetOf: (accountId) => (accountId === 'acc_1' ? noBudget(accountId) : UNLIMITED()(accountId)),
    rules: [{ ...RULE, action: 'drop' }],
    others: [other, { ...other, id: 'addr_3', when: 'subject != ""' }],
  });
  expect(stored.map(({ ruling, unsent }) => [ruling?.reason, unsent])).toEqual([
    ['not_evaluated', undefined],
    [undefined, 'filtered'],
    [undefined, undefined],
  ]);
});

test('D308: a hook is not asked when nobody knows whether it should be', async () => {
  const hook = { url: 'https://x.example', when: PROOF, on_error: 'accept', timeout_ms: 1_000 };
  const other = { ...recipient, id: 'addr_2', hook } as unknown as Recipient;
  const { stored } = await receiveOne(fullMail, { budgetOf: noBudget, others: [other] });
  expect(stored.map(({ ruling }) => ruling?.reason)).toEqual([undefined, 'not_evaluated']);
});
