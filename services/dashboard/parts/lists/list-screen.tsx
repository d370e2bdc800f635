/** The screen of a noun: its rows in a table, and the form that creates one. */
import type { ComponentChildren } from 'preact';

import type { Resource } from '../../client/resource.ts';
import { PageHead } from '../page-head.tsx';
import { EmptyState, Loaded } from '../states.tsx';
import { CreateButton, CreateDialog } from './create-button.tsx';
import { type Column, Table } from './table.tsx';

type Props<Row> = {
  texts: {
    title: string;
    intro?: string;
    create: string;
    list: string;
    emptyTitle: string;
    emptyText: string;
    docs?: string;
  };
  resource: Resource<{ data: Row[] }>;
  columns: readonly Column<Row>[];
  mayCreate: boolean;
  /** The page of the docs that an empty list names. */
  docsPage?: string;
  /** The form. */
  children: ComponentChildren;
};

export const ListScreen = <Row extends { id: string }>({
  texts,
  resource,
  columns,
  mayCreate,
  docsPage,
  children,
}: Props<Row>) => (
  <>
    <PageHead title={texts.title} facts={texts.intro}>
      {mayCreate && <CreateButton label={texts.create} />}
    </PageHead>
    {mayCreate && <CreateDialog label={texts.create}>{children}</CreateDialog>}
    <Loaded resource={resource} rows={3}>
      {({ data }) =>
        data.length === 0 ? (
          <EmptyState title={texts.emptyTitle} text={texts.emptyText}>
            {docsPage !== undefined && (
              <a href={docsPage} target="_blank" rel="noopener">
                {texts.docs}
              </a>
            )}
          </EmptyState>
        ) : (
          <Table label={texts.list} columns={columns} rows={data} keyOf={({ id }) => id} />
        )
      }
    </Loaded>
  </>
);
