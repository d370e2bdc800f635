/** One page of a list as a table, with its pager. The children are shown when the list is empty. */
import type { ComponentChildren } from 'preact';

import type { Pagination } from '../../../core/api/api-types.generated.ts';
import { type Loadable, Loaded } from '../states.tsx';
import { NoSuchPage, Pager } from './pager.tsx';
import { type Column, Table } from './table.tsx';

type Props<Row> = {
  resource: Loadable<{ data: readonly Row[]; pagination: Pagination }>;
  /** Number of gray rows while the first page loads. */
  loadingRows?: number;
  /** Names the table for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  children: ComponentChildren;
};

export const PagedTable = <Row,>({
  resource,
  loadingRows = 5,
  label,
  columns,
  keyOf,
  children,
}: Props<Row>) => (
  <Loaded resource={resource} rows={loadingRows}>
    {({ data, pagination }) =>
      data.length === 0 ? (
        pagination.offset > 0 ? (
          <NoSuchPage />
        ) : (
          <>{children}</>
        )
      ) : (
        <>
          <Table label={label} columns={columns} rows={data} keyOf={keyOf} />
          <Pager {...pagination} />
        </>
      )
    }
  </Loaded>
);
