/** Whether the account has received no email yet: its navigation shows only what it needs then. */
import { call } from '../client/api.ts';
import { useResource } from '../client/resource.ts';
import { useLive } from './live.ts';
import { may, session } from './session.ts';

/** The browser remembers the answer, so that the navigation does not change while a page loads. */
const REMEMBERED = 'inlet-is-new';

export function useIsNew(): boolean {
  const id = session.value?.account_id ?? '';
  const remembered = localStorage.getItem(REMEMBERED);
  const { data, reload } = useResource(`has email ${id}`, async (signal) =>
    remembered === `${id} no` || !may('deliveries:read')
      ? 'no'
      : (await call('GET /deliveries', { query: { limit: 1 }, signal })).pagination.total === 0
        ? 'yes'
        : 'no',
  );
  useLive(({ type }) => type === 'email.received' && data === 'yes' && reload());
  if (data !== undefined) localStorage.setItem(REMEMBERED, `${id} ${data}`);
  return data === undefined ? remembered === `${id} yes` : data === 'yes';
}
