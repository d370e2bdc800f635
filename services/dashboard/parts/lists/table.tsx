/** A table of a list. On narrow screens each row becomes a card. */
import type { ComponentChildren } from 'preact';

import { Link } from '../link.tsx';
import { plain } from '../plain-text.ts';
import { Time } from '../time.tsx';
import { directionOf, type SortBy, SortButton, sortedRows } from './sort.tsx';

export type Column<Row> = {
  title: string;
  cell: (row: Row) => ComponentChildren;
  isNumber?: boolean;
  /** The title is only for screen readers, such as above buttons. */
  hidesTitle?: boolean;
  /** Not on phones, whose cards show name, state and time. */
  isMinor?: boolean;
  /** Absent in a list with pages. */
  sort?: SortBy<Row>;
};

/** A column with a time of the row. */
export const timeColumn = <Row,>(
  title: string,
  at: (row: Row) => string,
  more: Partial<Column<Row>> = {},
): Column<Row> => ({ title, isNumber: true, cell: (row) => <Time at={at(row)} />, ...more });

/** The column that leads to a row: its name, and what it is for. */
export const linkColumn = <Row extends { id: string; description?: string | null }>(
  title: string,
  list: string,
  name: (row: Row) => string,
  more: Partial<Column<Row>> = {},
): Column<Row> => ({
  title,
  cell: (row) => (
    <>
      <Link to={`${list}/${row.id}`}>{name(row)}</Link>
      {row.description && (
        <span class="description" dir="auto">
          {plain(row.description)}
        </span>
      )}
    </>
  ),
  ...more,
});

type Props<Row> = {
  /** Names the table for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
};

export const Table = <Row,>({ label, columns, rows, keyOf }: Props<Row>) => (
  <table class="table" aria-label={label}>
    <thead>
      <tr>
        {columns.map(({ title, isNumber, hidesTitle, sort }) => (
          <th
            key={title}
            scope="col"
            class={isNumber ? 'number' : ''}
            {...(sort && { 'aria-sort': directionOf(sort.field) })}
          >
            {sort ? (
              <SortButton title={title} field={sort.field} />
            ) : (
              <span class={hidesTitle ? 'visually-hidden' : ''}>{title}</span>
            )}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {sortedRows(columns, rows).map((row) => (
        <tr key={keyOf(row)} data-row>
          {columns.map(({ title, cell, isNumber, hidesTitle, isMinor }) => (
            <td
              key={title}
              class={`${isNumber ? 'number' : ''} ${isMinor ? 'minor' : ''}`}
              {...(!hidesTitle && { 'data-title': title })}
            >
              {cell(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);
