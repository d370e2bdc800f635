/** Chooses the emails of a bulk replay. It begins with the filters of the mail list. */
import { useState } from 'preact/hooks';

import type { AddressListItem, ReplayDeliveriesRequest } from '../../app/api-types.golden.ts';
import { place } from '../../app/router.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { localDayStart } from '../../parts/format.ts';
import { replayText } from '../../strings/replay.ts';
import { startReplay } from './replay-run.ts';

type Status = NonNullable<ReplayDeliveriesRequest['status']>;
type Props = { addresses: readonly AddressListItem[]; close: () => void };

const STATUSES = Object.entries(replayText.statuses) as [Status, string][];

export function ReplayDialog({ addresses, close }: Props) {
  const { query } = place.value;
  const inUrl = query.get('status');
  const [status, setStatus] = useState<Status>(
    STATUSES.find(([value]) => value === inUrl)?.[0] ?? 'failed',
  );
  const [addressId, setAddressId] = useState(query.get('address_id') ?? '');
  const [from, setFrom] = useState(query.get('from') ?? '');
  const [until, setUntil] = useState(query.get('until') ?? '');
  const start = (event: Event) => {
    event.preventDefault();
    close();
    void startReplay({
      status,
      ...(addressId !== '' && { address_id: addressId }),
      ...(from !== '' && { start_date: localDayStart(from) }),
      ...(until !== '' && { end_date: localDayStart(until, 1) }),
    });
  };
  return (
    <Dialog label={replayText.title} onClose={close}>
      <form class="form" onSubmit={start}>
        <h2>{replayText.title}</h2>
        <Field label={replayText.status}>
          <select
            value={status}
            autoFocus
            onChange={({ currentTarget }) => setStatus(currentTarget.value as Status)}
          >
            {STATUSES.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </Field>
        <Field label={replayText.address}>
          <select
            value={addressId}
            onChange={({ currentTarget }) => setAddressId(currentTarget.value)}
          >
            <option value="">{replayText.anyAddress}</option>
            {addresses.map(({ id, address }) => (
              <option key={id} value={id}>
                {address}
              </option>
            ))}
          </select>
        </Field>
        <div class="field-row">
          <Field label={replayText.from}>
            <input
              type="date"
              value={from}
              onInput={({ currentTarget }) => setFrom(currentTarget.value)}
            />
          </Field>
          <Field label={replayText.until}>
            <input
              type="date"
              value={until}
              onInput={({ currentTarget }) => setUntil(currentTarget.value)}
            />
          </Field>
        </div>
        <p class="hint">{replayText.hint}</p>
        <div class="buttons">
          <button type="submit" class="primary">
            {replayText.start}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
