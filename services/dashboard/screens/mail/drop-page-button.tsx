/** Drops all held emails of the page that is shown, one after another. */
import { useState } from 'preact/hooks';

import { call } from '../../client/api.ts';
import type { DeliveryListItem } from '../../../core/api/api-types.generated.ts';
import { confirm } from '../../parts/confirm.tsx';
import { formatCount } from '../../parts/format.ts';
import { reporting } from '../../parts/toast.tsx';
import { mailText } from '../../strings/mail/mail.ts';

type Props = { items: readonly DeliveryListItem[]; onChange: () => void };

export function DropPageButton({ items, onChange }: Props) {
  const [isBusy, setIsBusy] = useState(false);
  const held = items.filter(({ status }) => status === 'held');
  const count = formatCount(held.length);
  const drop = async () => {
    const question = {
      title: mailText.dropTitle,
      text: mailText.dropText(count),
      action: mailText.dropShown(count),
      isDestructive: true,
    };
    if (!(await confirm(question))) return;
    setIsBusy(true);
    await reporting(async () => {
      for (const { event_id } of held) await dropOne(event_id);
    }, mailText.dropped(count));
    setIsBusy(false);
    onChange();
  };
  if (held.length === 0) return null;
  return (
    <button type="button" class="below-list" disabled={isBusy} onClick={() => void drop()}>
      {mailText.dropShown(count)}
    </button>
  );
}

/** One that was dropped with another receiver of its email, or released meanwhile, is 409. */
async function dropOne(event_id: string): Promise<void> {
  const { status } = await call('GET /deliveries/{event_id}', { params: { event_id } });
  if (status === 'held') await call('POST /deliveries/{event_id}/drop', { params: { event_id } });
}
