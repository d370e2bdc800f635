/** Says that the plan refuses email, or soon will. */
import type { Quota } from '../../core/api/api-types.generated.ts';

export const QuotaNotice = ({ quota }: { quota: Quota | null | undefined }) =>
  quota?.message ? (
    <p class={quota.status === 'refused' ? 'notice notice-bad' : 'notice'} role="alert">
      {quota.message}
    </p>
  ) : null;
