/** Finds the stored email of a delivery, and reads its payload within the limits of downloads. */
import type { Deliveries } from '../../adapters/mongo/delivery/deliveries.ts';
import type { StoredBytes } from '../../adapters/stream/objects/object-reader.ts';
import type { AddressScope } from '../../core/address/scope.ts';
import { orNotFound, unavailable } from '../../core/error/app-error.ts';
import type { Delivery } from '../../core/delivery/delivery.ts';
import { noLongerStored } from '../../core/delivery/retention.ts';
import { type Slot, STREAM_BYTES } from '../http/limits/slots.ts';
import type { View } from '../http/view.ts';
import type { ApiStore } from './store-for-api.ts';

export type StoredEmails = {
  deliveries: Pick<Deliveries, 'findEmail'>;
  store: Pick<ApiStore, 'payload'>;
};

/** A parsed payload is in memory four times: its bytes here and in the thread, their text, and the values. */
const PARSED_COPIES = 4;

export const createStoredEmail = ({ deliveries, store }: StoredEmails) =>
  async function storedEmail(
    scope: AddressScope,
    eventId: string,
    view: View | ((delivery: Delivery) => Promise<View>),
  ): Promise<{ delivery: Delivery; payload: StoredBytes }> {
    const delivery = orNotFound(await deliveries.findEmail(scope, eventId), 'delivery');
    const permitted = typeof view === 'function' ? await view(delivery) : view;
    const payload = await store.payload(delivery, permitted);
    if (payload === undefined) throw noLongerStored(delivery);
    return { delivery, payload };
  };

/** The bytes of a payload for the content thread. Counts what they take in memory while it reads. */
export async function readPayload(
  chunks: AsyncIterable<Uint8Array>,
  download: Slot,
): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of reading(chunks)) {
    size += piece.byteLength;
    download.hold(STREAM_BYTES + PARSED_COPIES * size);
    pieces.push(Buffer.from(piece)); // a copy, because a piece keeps the memory of its whole chunk
  }
  const payload = new Uint8Array(size); // in memory of its own: the thread gets a copy of all of that
  let at = 0;
  for (const piece of pieces) {
    payload.set(piece, at);
    at += piece.byteLength;
  }
  return payload;
}

async function* reading(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (cause) {
    throw unavailable(cause);
  }
}
