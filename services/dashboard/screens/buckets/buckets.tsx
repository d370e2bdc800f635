/** The buckets of the account, and one of them: its settings, its keys, and a test. */
import { call } from '../../client/api.ts';
import type { Bucket } from '../../../core/api/api-types.generated.ts';
import { go, type ScreenProps } from '../../browser/router.ts';
import { useResource } from '../../client/resource.ts';
import { may } from '../../session/session.ts';
import { TextField } from '../../parts/forms/form-fields.tsx';
import { nullableText, optionField, textField } from '../../parts/forms/form-table.tsx';
import { TableForm } from '../../parts/forms/table-form.tsx';
import type { Form } from '../../parts/forms/use-form.ts';
import { ListScreen } from '../../parts/lists/list-screen.tsx';
import { type Column, linkColumn, timeColumn } from '../../parts/lists/table.tsx';
import { plain } from '../../parts/plain-text.ts';
import { DetailScreen } from '../../parts/resource/detail-screen.tsx';
import { Status } from '../../parts/status.tsx';
import { TimeFact } from '../../parts/time.tsx';
import { bucketText } from '../../strings/buckets/bucket.ts';
import { TestCard } from '../addresses/test-card.tsx';

const { columns: titles } = bucketText;

const COLUMNS: readonly Column<Bucket>[] = [
  linkColumn(titles.name, '/buckets', ({ name }) => name),
  {
    title: titles.place,
    cell: ({ endpoint, bucket, prefix }) => (
      <span class="soft">{`${endpoint}/${bucket}/${prefix}`}</span>
    ),
  },
  { title: titles.key, cell: ({ access_key_id: key }) => <code>{key}</code> },
  timeColumn(titles.changed, ({ updated_at }) => updated_at),
];

const plainWords = { required: true, spellcheck: false } as const;
const SETTINGS = {
  endpoint: textField(
    'endpoint',
    { label: bucketText.endpoint, hint: bucketText.endpointHint },
    { type: 'url', required: true, placeholder: bucketText.endpointPlaceholder },
  ),
  bucket: textField('bucket', { label: bucketText.bucket }, plainWords),
  region: {
    ...textField('region', { label: bucketText.region, hint: bucketText.regionHint }, plainWords),
    isNarrow: true,
  },
  prefix: {
    ...textField(
      'prefix',
      { label: bucketText.prefix, hint: bucketText.prefixHint },
      { spellcheck: false },
    ),
    isNarrow: true,
  },
  addressing: optionField('addressing', bucketText.addressing, bucketText.addressings, 'path'),
  description: nullableText('description', { label: bucketText.description }, { dir: 'auto' }),
};

type KeyValues = { access_key_id: string; secret_access_key: string };

const KeyFields = ({ form }: { form: Form<KeyValues> }) => (
  <>
    <TextField
      form={form}
      name="access_key_id"
      label={bucketText.accessKey}
      hint={bucketText.accessKeyHint}
      required
      autoComplete="off"
      spellcheck={false}
    />
    <TextField
      form={form}
      name="secret_access_key"
      label={bucketText.secretKey}
      hint={bucketText.secretKeyHint}
      type="password"
      required
      autoComplete="off"
    />
  </>
);

const KEYS = {
  credentials: {
    values: (_: unknown, { access_key_id = '' }: Partial<Bucket>): KeyValues => ({
      access_key_id,
      secret_access_key: '',
    }),
    read: ({ access_key_id, secret_access_key }: KeyValues) => ({
      access_key_id,
      secret_access_key,
    }),
    Fields: KeyFields,
  },
};

const NEW = {
  name: textField(
    'name',
    { label: bucketText.name, hint: bucketText.nameHint },
    { ...plainWords, autoFocus: true },
  ),
  ...SETTINGS,
  ...KEYS,
};

type HostValues = KeyValues & { endpoint: string; former_endpoint: string };

/** The API wants the keys of another host in the same request. */
function isOtherHost({ endpoint, former_endpoint: former }: HostValues): boolean {
  const url = endpoint.trim();
  return URL.canParse(url) && new URL(url).host !== new URL(former).host;
}

const CHANGED = {
  ...SETTINGS,
  credentials: {
    values: (_: unknown, { endpoint = '' }: Partial<Bucket>) => ({
      ...KEYS.credentials.values(_, {}),
      former_endpoint: endpoint,
    }),
    read: (values: HostValues) => (isOtherHost(values) ? KEYS.credentials.read(values) : undefined),
    Fields: ({ form }: { form: Form<HostValues> }) => (
      <>
        {isOtherHost(form.values) && (
          <>
            <p class="hint">{bucketText.otherHost}</p>
            <KeyFields form={form} />
          </>
        )}
      </>
    ),
  },
};

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
      <TableForm
        table={NEW}
        record={{ region: 'us-east-1' }}
        submit={bucketText.submit}
        saved={bucketText.created}
        isInDialog
        send={(body) => call('POST /account/buckets', { body })}
        show={({ id }) => go(`/buckets/${id}`)}
      />
    </ListScreen>
  );
}

export function BucketDetailScreen({ params: { bucket_id = '' } }: ScreenProps) {
  const params = { bucket_id };
  return (
    <DetailScreen<Bucket>
      texts={bucketText}
      list="/buckets"
      id={bucket_id}
      load={(signal) => call('GET /account/buckets/{bucket_id}', { params, signal })}
      titleOf={({ name }) => name}
      facts={({ created_at: at }) => <TimeFact label={bucketText.createdAt} at={at} />}
      mayWrite={may('account:write')}
      remove={() => call('DELETE /account/buckets/{bucket_id}', { params })}
    >
      {({ record, show, mayWrite }) => (
        <div class="columns">
          <TableForm
            table={CHANGED}
            record={record}
            title={bucketText.settings}
            submit={bucketText.save}
            saved={bucketText.saved}
            isReadOnly={!mayWrite}
            send={(body) => call('PATCH /account/buckets/{bucket_id}', { params, body })}
            show={show}
          />
          <div class="card-column">
            {mayWrite && (
              <TableForm
                table={KEYS}
                record={record}
                title={bucketText.keys}
                hint={bucketText.keysHint}
                submit={bucketText.replace}
                saved={bucketText.replaced}
                send={(body) => call('PATCH /account/buckets/{bucket_id}', { params, body })}
                show={show}
              />
            )}
            {may('account:write') && (
              <TestCard
                id="bucket-test"
                texts={bucketText.test}
                test={() => call('POST /account/buckets/{bucket_id}/test', { params })}
              >
                {({ ok, error }) => (
                  <p>
                    <Status
                      tone={ok ? 'good' : 'bad'}
                      text={ok ? bucketText.works : bucketText.fails}
                    />{' '}
                    {error === null ? bucketText.worksText : plain(error)}
                  </p>
                )}
              </TestCard>
            )}
          </div>
        </div>
      )}
    </DetailScreen>
  );
}
