/** Filters a list by the days from and until, or times of days. Both are in the URL. */
import { place, setQuery } from '../../browser/router.ts';
import { partsText } from '../../strings/parts.ts';
import { localDayStart } from '../format.ts';

export const DATE_FIELDS = ['from', 'until'] as const;

const hasTime = (value: string): boolean => value.includes('T');
const inUtc = (local: string): string => `${new Date(local).toISOString().slice(0, 19)}Z`;

/** Days begin and end at the viewer's midnight. */
export function datesInUrl(): { start_date?: string; end_date?: string } {
  const { query } = place.value;
  const [from, until] = [query.get('from'), query.get('until')];
  return {
    ...(from && { start_date: hasTime(from) ? inUtc(from) : localDayStart(from) }),
    ...(until && { end_date: hasTime(until) ? inUtc(until) : localDayStart(until, 1) }),
  };
}

/** @param isInline the labels are next to the fields */
export const DateFilter = ({ isInline = false }: { isInline?: boolean }) => (
  <>
    {DATE_FIELDS.map((field) => (
      <label key={field} class={isInline ? 'inline-label' : ''}>
        {partsText[field]}
        <input
          type={hasTime(place.value.query.get(field) ?? '') ? 'datetime-local' : 'date'}
          value={place.value.query.get(field) ?? ''}
          onChange={({ currentTarget }) => setQuery({ [field]: currentTarget.value })}
        />
      </label>
    ))}
  </>
);
