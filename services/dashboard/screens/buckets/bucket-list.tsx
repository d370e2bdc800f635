/** The buckets of the account, and the form that adds one. */
import { call } from '../../client/api.ts';
import type { Bucket } from '../../../core/api/api-types.generated.ts';
import { go } from '../../browser/router.ts';
import { useResource } from '../../client/resource.ts';
import { may } from '../../session/session.ts';
import { CreateButton, isFormOpen } from '../../parts/lists/create-button.tsx';
import { SubmitButton, TextField } from '../../parts/form-fields.tsx';
import { Link } from '../../parts/link.tsx';
import { type Column, Table } from '../../parts/lists/table.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { plain } from '../../parts/plain-text.ts';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast.tsx';
import { useForm } from '../../parts/use-form.ts';
import { bucketText } from '../../strings/buckets/bucket.ts';
import { BucketFields, bucketSettings, KeyFields, NO_KEYS } from './bucket-fields.tsx';

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
    <>
      <PageHead title={bucketText.title} facts={bucketText.intro}>
        {may('account:write') && <CreateButton label={bucketText.create} />}
      </PageHead>
      {may('account:write') && isFormOpen() && <CreateForm />}
      <Loaded resource={resource} rows={3}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title={bucketText.emptyTitle} text={bucketText.emptyText}>
              <a href="/docs/attachments-to-a-bucket" target="_blank" rel="noopener">
                {bucketText.docs}
              </a>
            </EmptyState>
          ) : (
            <Table label={bucketText.list} columns={COLUMNS} rows={data} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
    </>
  );
}

const INITIAL = {
  name: '',
  endpoint: '',
  bucket: '',
  region: 'us-east-1',
  prefix: '',
  addressing: 'path' as Bucket['addressing'],
  description: '',
  ...NO_KEYS,
};

function CreateForm() {
  const form = useForm(INITIAL, async ({ name, access_key_id, secret_access_key, ...values }) => {
    const credentials = { access_key_id, secret_access_key };
    const body = { name: name.trim(), ...bucketSettings(values), credentials };
    const { id } = await call('POST /account/buckets', { body });
    toast(bucketText.created);
    go(`/buckets/${id}`);
  });
  return (
    <form class="card form above-list" onSubmit={form.onSubmit}>
      <TextField
        form={form}
        name="name"
        label={bucketText.name}
        hint={bucketText.nameHint}
        required
        autoFocus
        spellcheck={false}
      />
      <BucketFields form={form} />
      <KeyFields form={form} />
      <SubmitButton form={form} label={bucketText.submit} />
    </form>
  );
}
