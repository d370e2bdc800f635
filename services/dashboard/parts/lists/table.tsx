/** A table of a list. On narrow screens each row becomes a card. */
import type { ComponentChildren } from 'preact';

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
