/** Why a delivery that failed has ended. */
import type { Delivery } from '../../../core/api/api-types.generated.ts';

const ENDED = ['canceled', 'refused', 'blocked', 'lost', 'expired', 'backlog_full'] as const;

type End = 'erased' | 'redirected' | 'exhausted' | (typeof ENDED)[number];

type Facts = Pick<Delivery, 'content_erased_at' | 'outcome'> & {
  attempts: readonly Pick<Delivery['attempts'][number], 'status_code'>[];
};

export function endOf({ content_erased_at, outcome, attempts }: Facts): End {
  if (content_erased_at !== null) return 'erased';
  const code = attempts.at(-1)?.status_code ?? 0;
  if (outcome === 'refused' && code >= 300 && code < 400) return 'redirected';
  return ENDED.find((end) => end === outcome) ?? 'exhausted';
}
