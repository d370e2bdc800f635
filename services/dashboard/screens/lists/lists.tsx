/** The lists of senders of the account, and one of them: its entries as text, from and to a file. */
import { ApiError, apiPath, call, request } from '../../client/api.ts';
import type { SenderList } from '../../../core/api/api-types.generated.ts';
import { go, type ScreenProps } from '../../browser/router.ts';
import { useResource } from '../../client/resource.ts';
import { may } from '../../session/session.ts';
import { Copyable } from '../../parts/copy.tsx';
import { Field } from '../../parts/field.tsx';
import { formatCount } from '../../parts/format.ts';
import { TextAreaField } from '../../parts/forms/form-fields.tsx';
import { nullableText, textField } from '../../parts/forms/form-table.tsx';
import { TableForm } from '../../parts/forms/table-form.tsx';
import type { Form } from '../../parts/forms/use-form.ts';
import { Link } from '../../parts/link.tsx';
import { ListScreen } from '../../parts/lists/list-screen.tsx';
import { type Column, timeColumn } from '../../parts/lists/table.tsx';
import { plain } from '../../parts/plain-text.ts';
import { DetailScreen } from '../../parts/resource/detail-screen.tsx';
import { saveFile } from '../../parts/save.ts';
import { TimeFact } from '../../parts/time.tsx';
import { toast } from '../../parts/toast.tsx';
import { listText } from '../../strings/lists.ts';

const { columns: titles } = listText;

const COLUMNS: readonly Column<SenderList>[] = [
  {
    title: titles.name,
    sort: { field: 'name', value: ({ name }) => name },
    cell: ({ id, name }) => <Link to={`/lists/${id}`}>{name}</Link>,
  },
  {
    title: titles.description,
    cell: ({ description: text }) => (
      <span class="soft" dir="auto">
        {plain(text ?? '')}
      </span>
    ),
  },
  { title: titles.entries, isNumber: true, cell: ({ entry_count }) => formatCount(entry_count) },
  timeColumn(titles.changed, ({ updated_at }) => updated_at, {
    sort: { field: 'changed', value: ({ updated_at }) => updated_at },
  }),
];

const description = nullableText('description', { label: listText.description }, { dir: 'auto' });
const NEW = {
  name: {
    ...textField(
      'name',
      { label: listText.name, hint: listText.nameHint },
      {
        required: true,
        autoFocus: true,
        autoComplete: 'off',
        spellcheck: false,
        placeholder: listText.namePlaceholder,
      },
    ),
    isNarrow: true,
  },
  description: { ...description, isNarrow: true },
};

export function ListsScreen() {
  const resource = useResource('lists', (signal) => call('GET /lists', { signal }));
  return (
    <ListScreen
      texts={listText}
      resource={resource}
      columns={COLUMNS}
      mayCreate={may('addresses:write')}
    >
      <TableForm
        table={NEW}
        submit={listText.submit}
        saved={listText.created}
        isInDialog
        send={({ name, description: text }) =>
          call('POST /lists', { body: { name, description: text ?? undefined } })
        }
        show={({ id }) => go(`/lists/${id}`)}
      />
    </ListScreen>
  );
}

/** Without comments and empty lines. */
const entriesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '');

/** More than the longest entries of a full list. */
const FILE_MAX_BYTES = 4 * 1024 * 1024;

type EntryValues = { entries: string };

function EntriesField({ form }: { form: Form<EntryValues> }) {
  const addFile = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > FILE_MAX_BYTES) return toast(listText.tooLarge, true);
    const added = entriesIn(await file.text());
    const before = form.values.entries.trimEnd();
    form.set('entries', `${[...(before ? [before] : []), ...added].join('\n')}\n`);
    toast(listText.imported(formatCount(added.length)));
  };
  return (
    <>
      <TextAreaField
        form={form}
        name="entries"
        label={listText.entries}
        hint={listText.entriesHint}
        rows={14}
        spellcheck={false}
      />
      {!form.isReadOnly && (
        <Field label={listText.import} hint={listText.importHint}>
          <input
            type="file"
            accept=".txt,.csv,text/plain"
            onChange={({ currentTarget }) => {
              void addFile(currentTarget.files?.[0]);
              currentTarget.value = ''; // the same file can be chosen again
            }}
          />
        </Field>
      )}
    </>
  );
}

const SETTINGS = {
  description,
  entries: {
    values: (entries: string | undefined): EntryValues => ({ entries: entries ?? '' }),
    read: ({ entries }: EntryValues) => entriesIn(entries),
    Fields: EntriesField,
  },
};

/** With its entries, one on each line. */
type Shown = SenderList & { entries: string };

export function ListDetailScreen({ params: { list_id = '' } }: ScreenProps) {
  const params = { list_id };
  const entriesOf = async (signal?: AbortSignal) =>
    (await request('GET', apiPath('/lists/{list_id}/entries', params), undefined, signal)).text();
  const change = async (body: { description: string | null; entries: string[] }) => {
    const changed = await call('PATCH /lists/{list_id}', { params, body }).catch(
      (error: unknown) => {
        throw readable(error, body.entries);
      },
    );
    return { ...changed, entries: await entriesOf() };
  };
  return (
    <DetailScreen<Shown>
      texts={listText}
      list="/lists"
      id={list_id}
      load={async (signal) => {
        const [list, entries] = await Promise.all([
          call('GET /lists/{list_id}', { params, signal }),
          entriesOf(signal),
        ]);
        return { ...list, entries };
      }}
      titleOf={({ name }) => name}
      facts={({ name, entry_count, created_at, updated_at }) => (
        <>
          <span>{listText.entryCount(formatCount(entry_count))}</span>
          <TimeFact label={listText.createdAt} at={created_at} />
          <TimeFact label={listText.changedAt} at={updated_at} />
          <span>
            {listText.inExpressions}{' '}
            <Copyable text={listText.expression(name)} what={listText.expressionName} />
          </span>
        </>
      )}
      mayWrite={may('addresses:write')}
      actions={({ record: { name, entries } }) => (
        <button type="button" onClick={() => saveFile(`${name}.txt`, entries, 'text/plain')}>
          {listText.export}
        </button>
      )}
      remove={() => call('DELETE /lists/{list_id}', { params })}
    >
      {({ record, show, mayWrite }) => (
        <TableForm
          table={SETTINGS}
          record={record}
          submit={listText.save}
          saved={listText.saved}
          isReadOnly={!mayWrite}
          send={change}
          show={show}
        />
      )}
    </DetailScreen>
  );
}

/** The API names an entry by its place. */
function readable(error: unknown, entries: readonly string[]): unknown {
  const [, at] = (error instanceof ApiError && /^entries\.(\d+)$/.exec(error.field ?? '')) || [];
  if (at === undefined) return error;
  const text = listText.notASender(plain(entries[Number(at)] ?? ''));
  return new ApiError((error as ApiError).status, text, { field: 'entries' });
}
