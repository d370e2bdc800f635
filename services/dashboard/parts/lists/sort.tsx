/** Sorts a list that the browser has in full. The column is in the URL: `sort=name`, `sort=-name`. */
import { screenUrl, setQuery } from '../../browser/router.ts';

/** The value that a column sorts by, and its name in the URL. */
export type SortBy<Row> = { field: string; value: (row: Row) => string };

export const directionOf = (field: string): 'ascending' | 'descending' | 'none' => {
  const chosen = screenUrl.value.query.get('sort');
  if (chosen === field) return 'ascending';
  return chosen === `-${field}` ? 'descending' : 'none';
};

/** The rows in the order that the URL names; as they are when it names none. */
export function sortedRows<Row>(
  columns: readonly { sort?: SortBy<Row> }[],
  rows: readonly Row[],
): readonly Row[] {
  const by = columns.find(({ sort }) => sort && directionOf(sort.field) !== 'none')?.sort;
  if (!by) return rows;
  const sign = directionOf(by.field) === 'ascending' ? 1 : -1;
  return rows.toSorted((one, other) => sign * by.value(one).localeCompare(by.value(other)));
}

export const SortButton = ({ title, field }: { title: string; field: string }) => (
  <button type="button" class="sort" onClick={() => toggle(field)}>
    {title}
  </button>
);

const toggle = (field: string) =>
  setQuery({ sort: directionOf(field) === 'ascending' ? `-${field}` : field });
