/** The filters of the mail list. All of them are in the URL, so that a list can be linked. */
import { useEffect, useRef, useState } from 'preact/hooks';

import type { AddressListItem, DeliveryListItem } from '../../app/api-types.golden.ts';
import { useShortcut } from '../../app/keyboard.ts';
import { place, setQuery } from '../../app/router.ts';
import { Icon } from '../../parts/icon.tsx';
import { mailText } from '../../strings/mail.ts';

export const SEARCH_FIELDS = ['subject', 'sender', 'recipient'] as const;
const STATUSES = Object.keys(mailText.status) as DeliveryListItem['status'][];
const OTHER_FILTERS = ['address_id', 'verdict', 'from', 'until'];
const TYPING_PAUSE_MS = 250;

export const isFiltered = (query: URLSearchParams): boolean =>
  ['status', ...SEARCH_FIELDS, ...OTHER_FILTERS].some((name) => query.has(name));

export function MailFilters({ addresses }: { addresses: readonly AddressListItem[] }) {
  const { query } = place.value;
  const [isOpen, setIsOpen] = useState(OTHER_FILTERS.some((name) => query.has(name)));
  return (
    <div class="filters" role="search">
      <StatusFilter chosen={query.get('status') ?? ''} />
      <SearchBox />
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
        <label>
          {mailText.verdict}
          <select
            value={query.get('verdict') ?? ''}
            onChange={({ currentTarget }) => setQuery({ verdict: currentTarget.value })}
          >
            <option value="">{mailText.anyVerdict}</option>
            {Object.entries(mailText.verdicts).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
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
  setQuery(
    Object.fromEntries(['status', ...SEARCH_FIELDS, ...OTHER_FILTERS].map((name) => [name, ''])),
  );

const StatusFilter = ({ chosen }: { chosen: string }) => (
  <div class="segments" role="group" aria-label={mailText.statusFilter}>
    {['', ...STATUSES].map((status) => (
      <button
        key={status}
        type="button"
        aria-pressed={status === chosen}
        onClick={() => setQuery({ status })}
      >
        {status === ''
          ? mailText.allStatuses
          : mailText.status[status as DeliveryListItem['status']]}
      </button>
    ))}
  </div>
);

function SearchBox() {
  const { query } = place.value;
  const inUrl = SEARCH_FIELDS.find((name) => query.has(name));
  const [field, setField] = useState<string>(inUrl ?? 'subject');
  const [text, setText] = useState(query.get(inUrl ?? '') ?? '');
  const input = useRef<HTMLInputElement>(null);
  useShortcut('/', mailText.searchLabel, () => input.current?.focus());

  const search = (name: string, value: string) =>
    setQuery({
      ...Object.fromEntries(SEARCH_FIELDS.map((other) => [other, ''])),
      [name]: value.trim(),
    });
  useEffect(() => {
    if (text.trim() === (place.peek().query.get(field) ?? '')) return undefined;
    const timer = setTimeout(() => search(field, text), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, field]);
  // the filters were cleared, or the user went back
  useEffect(() => setText(query.get(inUrl ?? '') ?? ''), [query.get(inUrl ?? '')]);

  return (
    <div class="search-box">
      <select
        aria-label={mailText.searchIn}
        value={field}
        onChange={({ currentTarget }) => setField(currentTarget.value)}
      >
        {SEARCH_FIELDS.map((name) => (
          <option key={name} value={name}>
            {mailText.searchFields[name]}
          </option>
        ))}
      </select>
      <input
        ref={input}
        type="search"
        aria-label={mailText.searchLabel}
        placeholder={mailText.searchPlaceholder}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </div>
  );
}

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
