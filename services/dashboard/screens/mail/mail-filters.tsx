/** The filters of the mail list. All of them are in the URL, so that a list can be linked. */
import { useState } from 'preact/hooks';

import type { AddressListItem } from '../../../core/api/api-types.generated.ts';
import { screenUrl, setQuery } from '../../browser/router.ts';
import { Icon } from '../../parts/icon.tsx';
import { DATE_FIELDS, DateFilter } from '../../parts/lists/date-filter.tsx';
import { Segments } from '../../parts/segments.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { mailText } from '../../strings/mail/mail.ts';
import { SearchBox } from '../search/search-box.tsx';
import { SEARCH_FIELDS } from '../search/search-syntax.ts';

const MORE_FILTERS = ['address_id', 'recipient', 'verdict', ...DATE_FIELDS];
const ALL_FILTERS = new Set(['status', ...SEARCH_FIELDS, ...MORE_FILTERS]);

export const isFiltered = (query: URLSearchParams): boolean =>
  [...ALL_FILTERS].some((name) => query.has(name));

type Status = keyof typeof mailText.status;
const isStatus = (value: string): value is Status => value in mailText.status;

/** Retrying and pending are both “waiting”, unless a link or a search names one of them. */
const statusChoices = (chosen: string): [string, string][] => [
  ['', mailText.allStatuses],
  ['delivered', mailText.status.delivered],
  ['failed', mailText.status.failed],
  ['waiting', mailText.states.waiting],
  ...(['pending', 'retrying'].includes(chosen) && isStatus(chosen)
    ? ([[chosen, mailText.status[chosen]]] as [string, string][])
    : []),
  ['held', mailText.status.held],
  ['dropped', mailText.status.dropped],
];

type Props = { addresses: readonly AddressListItem[]; hasMoreAddresses: boolean };

export function MailFilters({ addresses, hasMoreAddresses }: Props) {
  const { query } = screenUrl.value;
  const [isOpen, setIsOpen] = useState(MORE_FILTERS.some((name) => query.has(name)));
  return (
    <div class="filters" role="search">
      <SearchBox />
      <Segments
        label={mailText.statusFilter}
        field="status"
        choices={statusChoices(query.get('status') ?? '')}
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
            {hasMoreAddresses && <option disabled>{mailText.olderAddresses}</option>}
          </select>
        </label>
        <RecipientFilter chosen={query.get('recipient') ?? ''} />
        <VerdictFilter chosen={query.get('verdict') ?? ''} />
        <DateFilter />
      </div>
    </div>
  );
}

const clearFilters = () => setQuery(Object.fromEntries([...ALL_FILTERS].map((name) => [name, ''])));

function RecipientFilter({ chosen }: { chosen: string }) {
  const [text, setText] = useDraft(chosen);
  return (
    <label>
      {mailText.recipient}
      <input
        type="text"
        autoComplete="off"
        spellcheck={false}
        maxLength={200}
        placeholder={mailText.recipientPlaceholder}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onChange={({ currentTarget }) => setQuery({ recipient: currentTarget.value.trim() })}
      />
    </label>
  );
}

/** The usual problems. The search can name others, and several. */
const VerdictFilter = ({ chosen }: { chosen: string }) => (
  <label>
    {mailText.verdict}
    <select
      value={chosen}
      onChange={({ currentTarget }) => setQuery({ verdict: currentTarget.value })}
    >
      <option value="">{mailText.anyVerdict}</option>
      {Object.entries(mailText.verdicts).map(([verdict, label]) => (
        <option key={verdict} value={verdict}>
          {label}
        </option>
      ))}
      {chosen !== '' && !(chosen in mailText.verdicts) && <option value={chosen}>{chosen}</option>}
    </select>
  </label>
);
