/** All that the screen of one email shows, loaded together so that nothing moves when it appears. */
import { ApiError, call } from '../../client/api.ts';
import type { Address, Delivery, Email } from '../../../core/api/api-types.generated.ts';
import { may } from '../../session/session.ts';

export type LoadedEmail = {
  delivery: Delivery;
  /** Undefined when the content is no longer stored. */
  email: Email | undefined;
  /** Undefined when it was deleted, or when the session may not read it. */
  address: Address | undefined;
};

/** @param known of an earlier load: content and address do not change */
export async function loadEmail(
  event_id: string,
  known: LoadedEmail | undefined,
  signal: AbortSignal,
): Promise<LoadedEmail> {
  const params = { event_id };
  const [delivery, email] = await Promise.all([
    call('GET /deliveries/{event_id}', { params, query: { include: 'headers' }, signal }),
    known?.email ?? orUndefined(call('GET /deliveries/{event_id}/email', { params, signal })),
  ]);
  const { address_id } = delivery;
  const address =
    known?.address ??
    (may('addresses:read')
      ? await orUndefined(call('GET /addresses/{address_id}', { params: { address_id }, signal }))
      : undefined);
  const isErased = delivery.content_erased_at !== null;
  return { delivery, email: isErased ? undefined : email, address };
}

async function orUndefined<T>(loading: Promise<T>): Promise<T | undefined> {
  try {
    return await loading;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
