/** The filters of the mail list. All of them are in the URL, so that a list can be linked. */
import { useState } from 'preact/hooks';

import type { AddressListItem } from '../../app/api-types.golden.ts';
import { place, setQuery } from '../../app/router.ts';
import { Icon } from '../../parts/icon.tsx';
import { Segments } from '../../parts/segments.tsx';
import { mailText } from '../../strings/mail.ts';

const OTHER_FILTERS = ['address_id', 'from', 'until'];

export const isFiltered = (query: URLSearchParams): boolean =>
  ['status', ...OTHER_FILTERS].some((name) => query.has(name));

export function MailFilters({ addresses }: { addresses: readonly AddressListItem[] }) {
  const { query } = place.value;
  const [isOpen, setIsOpen] = useState(OTHER_FILTERS.some((name) => query.has(name)));
  return (
    <div class="filters" role="search">
      <Segments
        label={mailText.statusFilter}
        field="status"
        choices={[['', mailText.allStatuses], ...Object.entries(mailText.status)]}
      />
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls="more-filters"
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name="filter" /> {mailText.moreFilters}
      </button>
      {isFiltered(query) && (
        <button type="button" class="quiet" onClick={clearFilters}>
          {mailText.clear}
        </button>
      )}
      <div id="more-filters" class="more-filters" hidden={!isOpen}>
        <label>
          {mailText.address}
          <select
            value={query.get('address_id') ?? ''}
            onChange={({ currentTarget }) => setQuery({ address_id: currentTarget.value })}
          >
            <option value="">{mailText.anyAddress}</option>
            {addresses.map(({ id, address }) => (
              <option key={id} value={id}>
                {address}
              </option>
            ))}
          </select>
        </label>
        <DateFilter name="from" label={mailText.from} />
        <DateFilter name="until" label={mailText.until} />
      </div>
    </div>
  );
}

const clearFilters = () =>
  setQuery(Object.fromEntries(['status', ...OTHER_FILTERS].map((name) => [name, ''])));

const DateFilter = ({ name, label }: { name: string; label: string }) => (
  <label>
    {label}
    <input
      type="date"
      value={place.value.query.get(name) ?? ''}
      onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}
    />
  </label>
);
