/** The content of an email. It is stored for a time only, unlike the record of its delivery. */
import { ApiError, call } from '../../app/api.ts';
import type { Email } from '../../app/api-types.golden.ts';
import { type Resource, useResource } from '../../app/resource.ts';

/** `email` is absent when the content is no longer stored. */
export type StoredEmail = { email?: Email };

export const useStoredEmail = (event_id: string): Resource<StoredEmail> =>
  useResource(`email ${event_id}`, async (signal) => {
    try {
      const email = await call('GET /deliveries/{event_id}/email', {
        params: { event_id },
        signal,
      });
      return { email };
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return {};
      throw error;
    }
  });
