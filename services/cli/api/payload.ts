/** The payload of a delivery, as its receiver gets it. */
import { type Api, refusal } from './client.ts';

/** The exact bytes. */
export async function readPayload(api: Api, event_id: string): Promise<Buffer> {
  const { data, error, response } = await api.GET('/deliveries/{event_id}/payload', {
    params: { path: { event_id } },
    parseAs: 'arrayBuffer',
  });
  if (data === undefined) throw refusal(response, error);
  return Buffer.from(data);
}
