/**
 * D283: the content of emails is stored encrypted, under a key for each account. What was changed,
 * moved or cut off cannot be read, what an earlier release stored in clear can.
 */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';

import {
  connectNats,
  type Nats,
} from '../../../../services/adapters/stream/connection/connection.ts';
import {
  createObjects,
  renewObject,
} from '../../../../services/adapters/stream/objects/objects.ts';
import { openObject } from '../../../../services/adapters/stream/objects/object-reader.ts';
import { createReplayStore } from '../../../../services/adapters/stream/replay.ts';
import {
  clearLength,
  FRAME_BYTES,
  type KeyOf,
  openBytes,
  type ContentLocation,
  sealBytes,
} from '../../../../services/adapters/stream/objects/sealed-content.ts';
import { createStoreMail, type StoreMail } from '../../../../services/adapters/stream/store.ts';
import {
  ensureStreams,
  type Streams,
  StreamsConfig,
} from '../../../../services/adapters/stream/events/streams.ts';
import { readEvent } from '../../../../services/adapters/stream/events/wire.ts';
import {
  type ContentKey,
  type ContentKeys,
  MissingContentKey,
} from '../../../../services/core/secret/content-key.ts';
import { storedIn, subjects } from '../../../../services/core/delivery/mail-event.ts';
import { newId } from '../../../../services/core/id/ids.ts';
import { INLINE_PAYLOAD_MAX_BYTES } from '../../../../services/core/mail/mail-size.ts';
import { log } from '../../../support/pipeline.ts';
import { mailEvent } from '../../../support/mail-events.ts';
import { startTestNats } from '../../../support/servers.ts';

const newKey = (): ContentKey => {
  const bytes = new Uint8Array(randomBytes(32));
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 8), bytes };
};
const KEY = newKey();
const KEYS: ContentKeys = [KEY];
const PLACE: ContentLocation = { store: 'message', accountId: 'acc_1', name: 'evt_1' };
const whole = async (found: { chunks: AsyncIterable<Uint8Array> } | undefined) =>
  found && Buffer.concat(await Array.fromAsync(found.chunks));

describe('bytes', () => {
  test.each([0, 1, 25_000, FRAME_BYTES - 16, FRAME_BYTES - 15, FRAME_BYTES, 2 * FRAME_BYTES - 32])(
    '%i bytes are encrypted and read',
    (length) => {
      const clear = randomBytes(length);
      const { seal, sealed } = sealBytes(clear, KEY, PLACE);
      expect(clearLength(sealed.byteLength)).toBe(length);
      expect(openBytes(sealed, seal, KEYS, PLACE).equals(clear)).toBe(true);
    },
  );

  test('each key of an account reads what it has encrypted, and nobody reads it without that key', () => {
    const [former, current] = [newKey(), newKey()];
    const { seal, sealed } = sealBytes(Buffer.from('hello'), former, PLACE);
    expect(openBytes(sealed, seal, [current, former], PLACE).toString()).toBe('hello');
    expect(() => openBytes(sealed, seal, [current], PLACE)).toThrow(MissingContentKey);
  });

  test('the same content is never encrypted to the same bytes', () => {
    const [first, second] = [0, 1].map(() => sealBytes(Buffer.from('hello'), KEY, PLACE).sealed);
    expect(first?.equals(second!)).toBe(false);
  });

  const clear = randomBytes(FRAME_BYTES + 10);
  const { seal, sealed } = sealBytes(clear, KEY, PLACE);
  const flipped = (at: number) => {
    const changed = Buffer.from(sealed);
    changed[at]! ^= 1;
    return changed;
  };
  const [first, last] = [sealed.subarray(0, FRAME_BYTES), sealed.subarray(FRAME_BYTES)];
  test.each<[string, () => Buffer]>([
    ['the first byte was changed', () => openBytes(flipped(0), seal, KEYS, PLACE)],
    ['the last byte was changed', () => openBytes(flipped(sealed.length - 1), seal, KEYS, PLACE)],
    ['its end was cut off', () => openBytes(first, seal, KEYS, PLACE)],
    ['its beginning was cut off', () => openBytes(last, seal, KEYS, PLACE)],
    ['frames were repeated', () => openBytes(Buffer.concat([first, sealed]), seal, KEYS, PLACE)],
    ['it is empty', () => openBytes(Buffer.alloc(0), seal, KEYS, PLACE)],
    ['it is of another event', () => openBytes(sealed, seal, KEYS, { ...PLACE, name: 'evt_2' })],
    ['it is of another account', () => openBytes(sealed, seal, KEYS, { ...PLACE, accountId: 'b' })],
    ['it is of another store', () => openBytes(sealed, seal, KEYS, { ...PLACE, store: 'RAW' })],
    [
      'the key is another one with its id',
      () => openBytes(sealed, seal, [{ ...newKey(), id: KEY.id }], PLACE),
    ],
    [
      'the seal is another one',
      () => openBytes(sealed, sealBytes(clear, KEY, PLACE).seal, KEYS, PLACE),
    ],
    ['the seal is of a later version', () => openBytes(sealed, `Ag${seal.slice(2)}`, KEYS, PLACE)],
  ])('nothing is read when %s', (_, open) => {
    expect(open).toThrow(/decrypt message|decrypt RAW/);
    expect(open).toThrow(
      expect.objectContaining({
        reason: 'the stored content of the email cannot be decrypted',
      }) as Error,
    );
  });
});

const anEvent = () => {
  const id = newId('addr', new Date(), randomBytes(10));
  return mailEvent({ id, account_id: 'acc_1', environment: 'live' }, new Date());
};

describe('in streams and buckets', () => {
  let nats: Nats;
  let streams: Streams;
  let storeMail: StoreMail;
  const parts = new AsyncDisposableStack();
  beforeAll(async () => {
    const { url } = parts.use(await startTestNats());
    nats = parts.use(await connectNats({ url, name: 'test' }, log));
    streams = await ensureStreams(nats, z.object(StreamsConfig).parse({ PARTITIONS: '1' }));
    storeMail = createStoreMail(streams);
  });
  afterAll(() => parts.disposeAsync());

  type Event = ReturnType<typeof anEvent>;
  const store = async (payload: Buffer, key: ContentKey | undefined): Promise<Event> => {
    const event = anEvent();
    await storeMail(event, [payload], randomBytes(32).toString('hex'), key);
    return event;
  };
  const messageOf = async (event: Event) =>
    (await streams.manager.streams.getMessage('MAIL-0', {
      last_by_subj: subjects.mail(0, event),
    }))!;
  const payloadOf = async (event: Event, keyOf: KeyOf = () => KEYS) => {
    const { seq } = await messageOf(event);
    const replays = createReplayStore(streams, keyOf);
    return whole(await replays.payload({ ...event, stored_at: storedIn(undefined, 0, seq) }));
  };
  const SMALL = Buffer.from(`{"marker":"${'x'.repeat(1000)}"}`);
  const LARGE = randomBytes(2 * INLINE_PAYLOAD_MAX_BYTES + 1);

  test.each([
    ['small', SMALL],
    ['large', LARGE],
  ])(
    'a %s payload: only its own key reads it, and what is in clear needs none',
    async (_, payload) => {
      const sealed = await store(payload, KEY);
      const clear = await store(payload, undefined);
      expect((await payloadOf(sealed))?.equals(payload)).toBe(true);
      expect((await payloadOf(clear, () => undefined))?.equals(payload)).toBe(true);
      expect(await payloadOf(sealed, () => undefined)).toBeUndefined();
      await expect(payloadOf(sealed, () => [newKey()])).rejects.toBeInstanceOf(MissingContentKey);
      expect(Buffer.from((await messageOf(sealed)).data).includes(SMALL.subarray(20, 60))).toBe(
        false,
      );
    },
  );

  test('a release that cannot decrypt does not take the bytes for a payload', async () => {
    const event = await store(SMALL, KEY);
    const { header } = await messageOf(event);
    const stored = JSON.parse(header.get('Inlet-Event')) as { payload_in: string };
    expect(stored.payload_in).toBe('sealed_message'); // not one of the values that it accepts
    expect(readEvent(header)).toMatchObject({ payload_in: 'message', seal: expect.any(String) });
  });

  test.each(['BODIES', 'RAW'] as const)('an object of %s, and its renewal', async (bucket) => {
    const into = bucket === 'RAW' ? streams.linked : streams.bodies;
    const shared = { faults: streams.publisher.faults, bucket };
    const pieces = [
      LARGE.subarray(0, 100),
      { base64Of: LARGE.subarray(100, 700_000) },
      LARGE.subarray(700_000),
    ];
    const content = Buffer.concat([
      LARGE.subarray(0, 100),
      Buffer.from(LARGE.subarray(100, 700_000).toString('base64')),
      LARGE.subarray(700_000),
    ]);
    const name = `evt_${bucket}`;
    await createObjects(into, undefined, shared).put(name, pieces, {
      accountId: 'acc_1',
      key: KEY,
    });
    const opened = async () => {
      const found = await openObject(streams.manager, into, name, (id) =>
        id === 'acc_1' ? KEYS : undefined,
      );
      return { size: found?.size, isSame: (await whole(found))?.equals(content) };
    };
    expect(await opened()).toEqual({ size: content.byteLength, isSame: true });
    await renewObject(streams.manager, into, name);
    expect(await opened()).toEqual({ size: content.byteLength, isSame: true });
    expect(await openObject(streams.manager, into, name, () => undefined)).toBeUndefined();
  });

  test('an object under the name of another one is not read', async () => {
    const shared = { faults: streams.publisher.faults, bucket: 'RAW' };
    const owner = { accountId: 'acc_1', key: KEY };
    await createObjects(streams.linked, undefined, shared).put('evt_a', [SMALL], owner);
    const { metadata } = (await streams.linked.info('evt_a'))!;
    const bytes = await streams.linked.getBlob('evt_a');
    for (const [bucket, name] of [
      [streams.linked, 'evt_b'],
      [streams.bodies, 'evt_a'],
    ] as const) {
      await bucket.put({ name, metadata }, ReadableStream.from([bytes!]));
      const found = await openObject(streams.manager, bucket, name, () => KEYS);
      await expect(whole(found)).rejects.toThrow('decrypt');
    }
  });

  test('a bucket that has no content of emails is refused', async () => {
    const put = createObjects(streams.linked).put('evt_c', [SMALL], { accountId: 'a', key: KEY });
    await expect(put).rejects.toThrow('has no content of emails');
  });
});
