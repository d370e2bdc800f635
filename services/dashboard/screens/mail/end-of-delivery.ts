/** Why a delivery that failed has ended. */
import type { Delivery } from '../../../core/api/api-types.generated.ts';

export type End = 'erased' | 'canceled' | 'redirected' | 'refused' | 'blocked' | 'exhausted';

type Facts = Pick<Delivery, 'content_erased_at' | 'outcome'> & {
  attempts: readonly Pick<Delivery['attempts'][number], 'status_code'>[];
};

export function endOf({ content_erased_at, outcome, attempts }: Facts): End {
  if (content_erased_at !== null) return 'erased';
  const code = attempts.at(-1)?.status_code ?? 0;
  if (outcome === 'refused' && code >= 300 && code < 400) return 'redirected';
  if (outcome === 'canceled' || outcome === 'refused' || outcome === 'blocked') return outcome;
  return 'exhausted';
}
