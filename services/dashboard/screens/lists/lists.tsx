/** The lists of senders of the account, by name. */
import { call } from '../../client/api.ts';
import type { SenderList } from '../../../core/api/api-types.generated.ts';
import { go } from '../../browser/router.ts';
import { useResource } from '../../client/resource.ts';
import { may } from '../../session/session.ts';
import { formatCount } from '../../parts/format.ts';
import { SubmitButton, TextField } from '../../parts/forms/form-fields.tsx';
import { Link } from '../../parts/link.tsx';
import { ListScreen } from '../../parts/lists/list-screen.tsx';
import type { Column } from '../../parts/lists/table.tsx';
import { plain } from '../../parts/plain-text.ts';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast.tsx';
import { useForm } from '../../parts/forms/use-form.ts';
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
    cell: ({ description }) => (
      <span class="soft" dir="auto">
        {plain(description ?? '')}
      </span>
    ),
  },
  {
    title: titles.entries,
    isNumber: true,
    cell: ({ entry_count: count }) => formatCount(count),
  },
  {
    title: titles.changed,
    isNumber: true,
    sort: { field: 'changed', value: ({ updated_at: at }) => at },
    cell: ({ updated_at: at }) => <Time at={at} />,
  },
];

export function ListsScreen() {
  const resource = useResource('lists', (signal) => call('GET /lists', { signal }));
  return (
    <ListScreen
      texts={listText}
      resource={resource}
      columns={COLUMNS}
      mayCreate={may('addresses:write')}
    >
      <CreateForm />
    </ListScreen>
  );
}

function CreateForm() {
  const form = useForm({ name: '', description: '' }, async ({ name, description }) => {
    const body = { name: name.trim(), description: description.trim() || undefined };
    const { id } = await call('POST /lists', { body });
    toast(listText.created);
    go(`/lists/${id}`);
  });
  return (
    <form class="form" onSubmit={form.onSubmit}>
      <div class="field-row">
        <TextField
          form={form}
          name="name"
          label={listText.name}
          hint={listText.nameHint}
          required
          autoFocus
          autoComplete="off"
          spellcheck={false}
          placeholder={listText.namePlaceholder}
        />
        <TextField form={form} name="description" label={listText.description} dir="auto" />
      </div>
      <SubmitButton form={form} label={listText.submit} />
    </form>
  );
}
