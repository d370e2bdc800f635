/** One list of senders: its entries as text, from and to a file. */
import { ApiError, apiPath, call, request } from '../../client/api.ts';
import type { SenderList } from '../../../core/api/api-types.generated.ts';
import type { ScreenProps } from '../../browser/router.ts';
import { useResource } from '../../client/resource.ts';
import { may } from '../../session/session.ts';
import { Copyable } from '../../parts/copy.tsx';
import { Field } from '../../parts/field.tsx';
import { formatCount } from '../../parts/format.ts';
import { SubmitButton, TextAreaField, TextField } from '../../parts/forms/form-fields.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { plain } from '../../parts/plain-text.ts';
import { saveFile } from '../../parts/save.ts';
import { Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast.tsx';
import { useForm } from '../../parts/forms/use-form.ts';
import { ManagedNotice } from '../../parts/resource/managed-notice.tsx';
import { RemoveButton } from '../../parts/resource/remove-button.tsx';
import { listText } from '../../strings/lists.ts';

const BACK = { to: '/lists', label: listText.title };

/** More than the longest entries of a full list. */
const FILE_MAX_BYTES = 4 * 1024 * 1024;

type Shown = { list: SenderList; entries: string };

export function ListDetailScreen({ params: { list_id = '' } }: ScreenProps) {
  const params = { list_id };
  const resource = useResource<Shown>(list_id, async (signal) => {
    const [list, entries] = await Promise.all([
      call('GET /lists/{list_id}', { params, signal }),
      entriesOf(list_id, signal),
    ]);
    return { list, entries };
  });
  return (
    <Loaded resource={resource} head={{ title: listText.one, back: BACK }}>
      {(shown) => <Detail {...shown} show={(changed) => resource.change(() => changed)} />}
    </Loaded>
  );
}

async function entriesOf(list_id: string, signal?: AbortSignal): Promise<string> {
  const path = apiPath('/lists/{list_id}/entries', { list_id });
  return (await request('GET', path, undefined, signal)).text();
}

function Detail({ list, entries, show }: Shown & { show: (changed: Shown) => void }) {
  const { managed_by: manager } = list;
  const mayWrite = may('addresses:write') && manager === null;
  return (
    <>
      <PageHead title={list.name} back={BACK} facts={<Facts list={list} />}>
        <button type="button" onClick={() => saveFile(`${list.name}.txt`, entries, 'text/plain')}>
          {listText.export}
        </button>
        {mayWrite && (
          <RemoveButton
            texts={listText}
            text={listText.removeText(list.name)}
            remove={() => call('DELETE /lists/{list_id}', { params: { list_id: list.id } })}
            back="/lists"
          />
        )}
      </PageHead>
      <ManagedNotice manager={manager} />
      <EntriesForm {...{ list, entries, show }} isReadOnly={!mayWrite} />
    </>
  );
}

const Facts = ({ list }: { list: SenderList }) => (
  <>
    <span>{listText.entryCount(formatCount(list.entry_count))}</span>
    <span>
      {listText.createdAt} <Time at={list.created_at} />
    </span>
    <span>
      {listText.changedAt} <Time at={list.updated_at} />
    </span>
    <span>
      {listText.inExpressions}{' '}
      <Copyable text={listText.expression(list.name)} what={listText.expressionName} />
    </span>
  </>
);

/** Without comments and empty lines. */
const entriesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '');

type FormProps = Shown & { show: (changed: Shown) => void; isReadOnly: boolean };

function EntriesForm({ list, entries, show, isReadOnly }: FormProps) {
  const form = useForm(
    { description: list.description ?? '', entries },
    async (values) => {
      const named = entriesIn(values.entries);
      const body = { description: values.description.trim() || null, entries: named };
      const changed = await call('PATCH /lists/{list_id}', {
        params: { list_id: list.id },
        body,
      }).catch((error: unknown) => {
        throw readable(error, named);
      });
      toast(listText.saved);
      show({ list: changed, entries: await entriesOf(list.id) });
    },
    isReadOnly,
  );
  const addFile = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > FILE_MAX_BYTES) return toast(listText.tooLarge, true);
    const added = entriesIn(await file.text());
    const before = form.values.entries.trimEnd();
    form.set('entries', `${[...(before ? [before] : []), ...added].join('\n')}\n`);
    toast(listText.imported(formatCount(added.length)));
  };
  return (
    <form class="card form" onSubmit={form.onSubmit}>
      <TextField form={form} name="description" label={listText.description} dir="auto" />
      <TextAreaField
        form={form}
        name="entries"
        label={listText.entries}
        hint={listText.entriesHint}
        rows={14}
        spellcheck={false}
      />
      {!isReadOnly && (
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
      <SubmitButton form={form} label={listText.save} />
    </form>
  );
}

/** The API names an entry by its place. */
function readable(error: unknown, entries: readonly string[]): unknown {
  const [, at] = (error instanceof ApiError && /^entries\.(\d+)$/.exec(error.field ?? '')) || [];
  if (at === undefined) return error;
  const text = listText.notASender(plain(entries[Number(at)] ?? ''));
  return new ApiError((error as ApiError).status, text, { field: 'entries' });
}
