/** The screen of one record: its title and facts, what can be done to it, who owns it, and its cards. */
import type { ComponentChildren, JSX } from 'preact';

import type { Bucket } from '../../../core/api/api-types.generated.ts';
import { useResource } from '../../client/resource.ts';
import { PageHead } from '../page-head.tsx';
import { Loaded } from '../states.tsx';
import { ManagedNotice } from './managed-notice.tsx';
import { RemoveButton } from './remove-button.tsx';

type Shown<R> = {
  record: R;
  show: (changed: R) => void;
  /** The session may change it, and no resource of Kubernetes owns it. */
  mayWrite: boolean;
};

type Props<R> = {
  texts: {
    title: string;
    one: string;
    remove: string;
    removed: string;
    removeTitle: string;
    removeText: string | ((title: string) => string);
  };
  /** The path of its list. */
  list: string;
  id: string;
  load: (signal: AbortSignal) => Promise<R>;
  titleOf: (record: R) => string;
  facts: (record: R) => ComponentChildren;
  /** Whether the session may change it. */
  mayWrite: boolean;
  actions?: (shown: Shown<R>) => ComponentChildren;
  remove: () => Promise<unknown>;
  children: (shown: Shown<R>) => JSX.Element;
};

export function DetailScreen<R extends Pick<Bucket, 'managed_by'>>({
  texts,
  list,
  id,
  load,
  titleOf,
  facts,
  mayWrite: hasPermission,
  actions,
  remove,
  children,
}: Props<R>) {
  const resource = useResource(id, load);
  const back = { to: list, label: texts.title };
  const screenOf = (record: R) => {
    const title = titleOf(record);
    const { removeText: text } = texts;
    const mayWrite = hasPermission && record.managed_by === null;
    const shown = { record, show: (changed: R) => resource.change(() => changed), mayWrite };
    return (
      <>
        <PageHead title={title} back={back} facts={facts(record)}>
          {actions?.(shown)}
          {mayWrite && (
            <RemoveButton
              texts={texts}
              text={typeof text === 'string' ? text : text(title)}
              remove={remove}
              back={list}
            />
          )}
        </PageHead>
        <ManagedNotice manager={record.managed_by} />
        {children(shown)}
      </>
    );
  };
  return (
    <Loaded resource={resource} rows={3} head={{ title: texts.one, back }}>
      {screenOf}
    </Loaded>
  );
}
