/** The payload of a delivery, as its receiver gets it. */
import { pathOf } from '../../core/api/calls.ts';
import { type Api, success } from './client.ts';

/** The exact bytes. */
export async function readPayload({ send }: Api, event_id: string): Promise<Buffer> {
  const path = pathOf('/deliveries/{event_id}/payload', { event_id });
  return Buffer.from(await (await success(await send('GET', path))).arrayBuffer());
}
