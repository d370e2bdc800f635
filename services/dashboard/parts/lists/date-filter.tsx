/** Filters a list by the days from and until, or times of days. Both are in the URL. */
import { screenUrl, setQuery } from '../../browser/router.ts';
import { partsText } from '../../strings/parts.ts';
import { localDayStart } from '../format.ts';

export const DATE_FIELDS = ['from', 'until'] as const;

/** A day, or a time of a day: the type of its field. */
export const dateType = (value: string): 'date' | 'datetime-local' =>
  value.includes('T') ? 'datetime-local' : 'date';

const DATE = /^\d{4}-\d\d-\d\d(T.+)?$/;

/** Text that is not a date is left out, for example from a damaged link. */
function inUtc(value: string, daysLater = 0): string | undefined {
  if (!DATE.test(value) || Number.isNaN(Date.parse(value))) return undefined;
  if (dateType(value) === 'date') return localDayStart(value, daysLater);
  return `${new Date(value).toISOString().slice(0, 19)}Z`;
}

/** In the form of the API. Days begin and end at the viewer's midnight. */
export function datesOf(from: string, until: string): { start_date?: string; end_date?: string } {
  const [start, end] = [inUtc(from), inUtc(until, 1)];
  return { ...(start && { start_date: start }), ...(end && { end_date: end }) };
}

const valueInUrl = (field: (typeof DATE_FIELDS)[number]): string =>
  screenUrl.value.query.get(field) ?? '';

export const datesInUrl = (): ReturnType<typeof datesOf> =>
  datesOf(valueInUrl('from'), valueInUrl('until'));

/** @param isInline the labels are next to the fields */
export const DateFilter = ({ isInline = false }: { isInline?: boolean }) => (
  <>
    {DATE_FIELDS.map((field) => (
      <label key={field} class={isInline ? 'inline-label' : ''}>
        {partsText[field]}
        <input
          type={dateType(valueInUrl(field))}
          value={valueInUrl(field)}
          onChange={({ currentTarget }) => setQuery({ [field]: currentTarget.value })}
        />
      </label>
    ))}
  </>
);
