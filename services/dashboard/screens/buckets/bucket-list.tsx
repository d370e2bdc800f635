/** The buckets of the account, and the form that adds one. */
import { call } from '../../client/api.ts';
import type { Bucket } from '../../../core/api/api-types.generated.ts';
import { go } from '../../browser/router.ts';
import { useResource } from '../../client/resource.ts';
import { may } from '../../session/session.ts';
import { SubmitButton, TextField } from '../../parts/forms/form-fields.tsx';
import { fieldsOf, formValues, TableFields } from '../../parts/forms/form-table.tsx';
import { Link } from '../../parts/link.tsx';
import { ListScreen } from '../../parts/lists/list-screen.tsx';
import type { Column } from '../../parts/lists/table.tsx';
import { plain } from '../../parts/plain-text.ts';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast.tsx';
import { useForm } from '../../parts/forms/use-form.ts';
import { bucketText } from '../../strings/buckets/bucket.ts';
import { KeyFields, NO_KEYS, SETTINGS } from './bucket-fields.tsx';

const { columns: titles } = bucketText;

const COLUMNS: readonly Column<Bucket>[] = [
  {
    title: titles.name,
    cell: ({ id, name, description }) => (
      <>
        <Link to={`/buckets/${id}`}>{name}</Link>
        {description && (
          <span class="description" dir="auto">
            {plain(description)}
          </span>
        )}
      </>
    ),
  },
  {
    title: titles.place,
    cell: ({ endpoint, bucket, prefix }) => (
      <span class="soft">{`${endpoint}/${bucket}/${prefix}`}</span>
    ),
  },
  { title: titles.key, cell: ({ access_key_id: key }) => <code>{key}</code> },
  { title: titles.changed, isNumber: true, cell: ({ updated_at: at }) => <Time at={at} /> },
];

export function BucketListScreen() {
  const resource = useResource('buckets', (signal) => call('GET /account/buckets', { signal }));
  return (
    <ListScreen
      texts={bucketText}
      resource={resource}
      columns={COLUMNS}
      mayCreate={may('account:write')}
      docsPage="/docs/attachments-to-a-bucket"
    >
      <CreateForm />
    </ListScreen>
  );
}

const INITIAL = {
  name: '',
  ...formValues(SETTINGS, { region: 'us-east-1' }),
  ...NO_KEYS,
};

function CreateForm() {
  const form = useForm(INITIAL, async ({ name, access_key_id, secret_access_key, ...values }) => {
    const credentials = { access_key_id, secret_access_key };
    const body = { name: name.trim(), ...fieldsOf(SETTINGS, values), credentials };
    const { id } = await call('POST /account/buckets', { body });
    toast(bucketText.created);
    go(`/buckets/${id}`);
  });
  return (
    <form class="form" onSubmit={form.onSubmit}>
      <TextField
        form={form}
        name="name"
        label={bucketText.name}
        hint={bucketText.nameHint}
        required
        autoFocus
        spellcheck={false}
      />
      <TableFields table={SETTINGS} form={form} />
      <KeyFields form={form} />
      <SubmitButton form={form} label={bucketText.submit} />
    </form>
  );
}
