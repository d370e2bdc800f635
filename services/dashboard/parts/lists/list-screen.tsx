/** The screen of a noun: its rows in a table, and the form above them that creates one. */
import type { ComponentChildren } from 'preact';

import type { Permission } from '../../../core/api/api-types.generated.ts';
import type { Resource } from '../../client/resource.ts';
import { may } from '../../session/session.ts';
import { PageHead } from '../page-head.tsx';
import { EmptyState, Loaded } from '../states.tsx';
import { CreateButton, isFormOpen } from './create-button.tsx';
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
  /** Who may create one. */
  permission: Permission;
  /** The page of the docs that an empty list names. */
  docsPage?: string;
  /** The form. */
  children: ComponentChildren;
};

export const ListScreen = <Row extends { id: string }>({
  texts,
  resource,
  columns,
  permission,
  docsPage,
  children,
}: Props<Row>) => (
  <>
    <PageHead title={texts.title} facts={texts.intro}>
      {may(permission) && <CreateButton label={texts.create} />}
    </PageHead>
    {may(permission) && isFormOpen() && children}
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
