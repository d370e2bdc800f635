/** What a real clamd makes of email over SMTP, and email while clamd is slow or dead (D59). */
import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import {
  ACCOUNTS,
  type StoredAccount,
} from '../../../services/adapters/mongo/documents/account-documents.ts';
import type { GatewayConstants } from '../../../services/gateway/process/constants.ts';
import type { Address } from '../../../services/core/address/address.ts';
import { DEFAULT_PLAN, defaultSettings } from '../../../services/core/account/account.ts';
import type { Virus } from '../../../services/core/mail/virus.ts';
import {
  EICAR,
  EICAR_NAME,
  FILE_MAX_BYTES,
  findClamd,
  startClamd,
  STREAM_MAX_BYTES,
  type TestClamd,
} from '../../support/clamd.ts';
import { type Pipeline, startPipeline } from '../../support/pipeline.ts';
import { atMost } from '../../support/slowdown.ts';
import { until } from '../../support/until.ts';
import { storedMails } from '../stored-mail.ts';

type File = { filename: string; content: string | Buffer };

const root = await findClamd();
const parts = new AsyncDisposableStack();
let clamd: TestClamd;
let pipeline: Pipeline;
beforeAll(async () => {
  if (root === undefined) return;
  clamd = parts.use(await startClamd(root));
  pipeline = parts.use(await withClamd(clamd.tcp));
});
afterAll(() => parts.disposeAsync());

const withClamd = (address: string, constants: Partial<GatewayConstants> = {}) =>
  startPipeline({ env: { CLAMD: address }, constants, withDispatcher: false });

const eicar = (filename = 'eicar.com'): File => ({ filename, content: EICAR });
const harmless = (filename: string): File => ({ filename, content: 'nothing special' });

/** Resolves with 250 or the refusal. */
const send = (files: File[], on: Pipeline, ...recipients: Address[]): Promise<string> =>
  on.mailer
    .sendMail({
      from: 'ann@sender.test',
      to: recipients.map(({ address }) => address),
      subject: 'files',
      text: 'see the files',
      attachments: files,
    })
    .then(
      () => '250',
      (error: { response: string }) => error.response,
    );

async function virusOf(files: File[], on = pipeline): Promise<Virus | undefined> {
  const address = await on.address('/never');
  expect(await send(files, on, address)).toBe('250');
  const [stored] = await storedMails(on.nats, address.id);
  return stored?.payload.virus;
}

const rulingOf = async ({ id }: Address) =>
  (await storedMails(pipeline.nats, id)).map(({ event: { ruling } }) => ruling?.reason ?? null);

const CLEAN: Virus = { verdict: 'clean', name: null, scanner: 'clamd', attachments: [] };
const failed: Virus = { ...CLEAN, verdict: 'error' };

/** A zip archive with one file. `isEncrypted` says only that it is: nobody could unpack it. */
function zip(content: string, isEncrypted = false): Buffer {
  const [name, plain] = [Buffer.from('a.txt'), Buffer.from(content)];
  const packed = deflateRawSync(plain);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0); // version needed
  common.writeUInt16LE(isEncrypted ? 1 : 0, 2);
  common.writeUInt16LE(8, 4); // deflate
  common.writeUInt32LE(packed.length, 14);
  common.writeUInt32LE(plain.length, 18);
  common.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, name, packed]);
  const entry = Buffer.concat([
    Buffer.from('PK\u0001\u0002'),
    Buffer.from([20, 0]),
    common,
    Buffer.alloc(14),
    name,
  ]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(entry.length, 8);
  end.writeUInt32LE(local.length, 12);
  return Buffer.concat([local, entry, Buffer.from('PK\u0005\u0006'), end]);
}

describe.skipIf(root === undefined)('a real clamd', () => {
  test('verdicts: clean, infected with the names of the files, too large, encrypted', async () => {
    expect(await virusOf([harmless('a.txt')])).toEqual(CLEAN);
    const infected = { ...CLEAN, verdict: 'infected', name: EICAR_NAME };
    expect(await virusOf([harmless('a.txt'), eicar(), harmless('b.txt')])).toEqual({
      ...infected,
      attachments: [{ index: 1, filename: 'eicar.com', name: EICAR_NAME }],
    });
    expect(await virusOf([{ filename: 'a.zip', content: zip(EICAR) }])).toEqual({
      ...infected,
      attachments: [{ index: 0, filename: 'a.zip', name: EICAR_NAME }],
    });
    const name = 'Heuristics.Encrypted.Zip';
    expect(await virusOf([{ filename: 'a.zip', content: zip('secret', true) }])).toMatchObject({
      verdict: 'infected',
      name,
    });
    const tooLarge = { filename: 'large.bin', content: Buffer.alloc(STREAM_MAX_BYTES, 1) };
    expect(await virusOf([eicar(), tooLarge])).toEqual({ ...CLEAN, verdict: 'not_scanned' });
    const beyondLimits = { filename: 'large.bin', content: Buffer.alloc(FILE_MAX_BYTES, 1) };
    expect(await virusOf([beyondLimits])).toEqual({ ...CLEAN, verdict: 'not_scanned' });
  });

  test('emails above 256 KiB, which another thread handles, and a Unix socket', async () => {
    const large = { filename: 'large.txt', content: 'x'.repeat(300_000) };
    expect(await virusOf([large])).toEqual(CLEAN);
    await using local = await withClamd(clamd.unix);
    expect(await virusOf([large, eicar()], local)).toMatchObject({
      verdict: 'infected',
      attachments: [{ index: 1 }],
    });
    expect(await virusOf([], local)).toEqual(CLEAN);
  });

  test('without a scanner, payloads do not have the field', async () => {
    await using without = await startPipeline({ withDispatcher: false });
    expect(await virusOf([eicar()], without)).toBeUndefined();
  });

  test('refuse_infected: 550 if every recipient refuses it, else held at those that do', async () => {
    const refusing = { refuse_infected: true };
    const strict = await pipeline.address('/a', refusing);
    const stricter = await pipeline.address('/b', refusing);
    const open = await pipeline.address('/c');
    const refusal = '550 5.7.1 Message rejected: it contains malware';
    expect(await send([eicar()], pipeline, strict)).toBe(refusal);
    expect(await send([eicar()], pipeline, strict, stricter)).toBe(refusal);
    expect([await rulingOf(strict), await rulingOf(stricter)]).toEqual([[], []]);
    expect(await send([eicar()], pipeline, strict, open)).toBe('250');
    expect([await rulingOf(strict), await rulingOf(open)]).toEqual([['infected'], [null]]);
    expect(await send([harmless('a')], pipeline, strict)).toBe('250');
  });

  test('refuse_infected of the account applies unless the address says otherwise', async () => {
    const own = await pipeline.address('/a');
    await pipeline.mongo.db.collection<StoredAccount>(ACCOUNTS).insertOne({
      _id: own.account_id,
      email: 'ann@example.com',
      name: 'Ann',
      company: '',
      plan: DEFAULT_PLAN,
      suspended_at: null,
      closed_at: null,
      created_at: new Date(),
      settings: { ...defaultSettings, refuse_infected: true },
    });
    const { account_id } = own;
    const other = await pipeline.address('/b', { account_id, refuse_infected: false });
    expect(await send([eicar()], pipeline, own)).toMatch(/^550 5\.7\.1/);
    expect(await send([eicar()], pipeline, other)).toBe('250');
  });

  test('rules read the verdict', async () => {
    const when = 'virus.verdict == "infected" && virus.name.startsWith("Eicar")';
    const address = await pipeline.address('/a', {
      rules: [{ name: 'malware', when, action: 'hold' }],
    });
    await send([eicar()], pipeline, address);
    await send([harmless('a')], pipeline, address);
    const rulings = (await storedMails(pipeline.nats, address.id)).map(({ event }) => event.ruling);
    expect(rulings.find((ruling) => ruling?.action === 'hold')?.facts).toEqual([
      { name: 'virus.verdict', value: 'infected' },
      { name: 'virus.name', value: EICAR_NAME },
    ]);
    expect(rulings.map((ruling) => ruling?.action ?? 'deliver').toSorted()).toEqual([
      'deliver',
      'hold',
    ]);
  });

  test('metrics: time, verdicts; no age without signatures of ClamAV', async () => {
    await virusOf([harmless('a')]);
    const metrics = await (await fetch(pipeline.metricsUrls.gateway)).text();
    expect(metrics).toMatch(
      /^inlet_clamd_seconds_count\{component="gateway",outcome="answered"\} [1-9]/m,
    );
    expect(metrics).toMatch(
      /^inlet_virus_verdicts_total\{kind="clamd",result="clean",component="gateway"\} [1-9]/m,
    );
    expect(metrics).not.toMatch(/^inlet_clamd_signatures_timestamp_seconds/m);
  });

  test('a clamd that is killed under load loses no email and delays none; then it is used again', async () => {
    const address = await pipeline.address('/never', { refuse_infected: true });
    const sending = Array.from({ length: 200 }, () => send([harmless('a')], pipeline, address));
    await clamd.kill();
    expect(new Set(await Promise.all(sending))).toEqual(new Set(['250']));
    const verdicts = (await storedMails(pipeline.nats, address.id)).map(
      ({ payload }) => payload.virus?.verdict,
    );
    expect(verdicts).toHaveLength(200);
    expect(verdicts).toContain('error');
    const startedAt = performance.now();
    expect(await virusOf([eicar()])).toEqual(failed);
    expect(performance.now() - startedAt).toBeLessThan(atMost(1_500));
    await clamd.restart();
    await until('clamd is used again', async () => (await virusOf([]))?.verdict === 'clean');
  });

  test('a frozen clamd delays the first emails by its time limit at most, later ones not at all', async () => {
    await using slow = await withClamd(clamd.tcp, { clamdMs: 1_000 });
    expect(await virusOf([], slow)).toEqual(CLEAN);
    clamd.freeze();
    try {
      const startedAt = performance.now();
      const verdicts = await Promise.all(Array.from({ length: 30 }, () => virusOf([], slow)));
      expect(verdicts).toEqual(verdicts.map(() => failed));
      expect(performance.now() - startedAt).toBeLessThan(atMost(4_000));
      await until('emails do not wait', async () => {
        const from = performance.now();
        expect(await virusOf([], slow)).toEqual(failed);
        return performance.now() - from < 500;
      });
    } finally {
      clamd.resume();
    }
    await until('clamd is used again', async () => (await virusOf([], slow))?.verdict === 'clean');
  });
});
