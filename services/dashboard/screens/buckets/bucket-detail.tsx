/** One bucket: its settings, its keys, and a test. */
import { call } from '../../client/api.ts';
import type { Bucket } from '../../../core/api/api-types.generated.ts';
import type { ScreenProps } from '../../browser/router.ts';
import { useResource } from '../../client/resource.ts';
import { may } from '../../session/session.ts';
import { SubmitButton } from '../../parts/forms/form-fields.tsx';
import { fieldsOf, formValues, TableFields } from '../../parts/forms/form-table.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { plain } from '../../parts/plain-text.ts';
import { Loaded } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast.tsx';
import { useForm } from '../../parts/forms/use-form.ts';
import { ManagedNotice } from '../../parts/resource/managed-notice.tsx';
import { RemoveButton } from '../../parts/resource/remove-button.tsx';
import { bucketText } from '../../strings/buckets/bucket.ts';
import { TestCard } from '../addresses/test-card.tsx';
import { KeyFields, NO_KEYS, SETTINGS } from './bucket-fields.tsx';

const BACK = { to: '/buckets', label: bucketText.title };

export function BucketDetailScreen({ params: { bucket_id = '' } }: ScreenProps) {
  const resource = useResource<Bucket>(bucket_id, (signal) =>
    call('GET /account/buckets/{bucket_id}', { params: { bucket_id }, signal }),
  );
  return (
    <Loaded resource={resource} head={{ title: bucketText.one, back: BACK }}>
      {(bucket) => <Detail bucket={bucket} show={(changed) => resource.change(() => changed)} />}
    </Loaded>
  );
}

type Shown = { bucket: Bucket; show: (changed: Bucket) => void };

function Detail({ bucket, show }: Shown) {
  const { id: bucket_id, managed_by: manager } = bucket;
  const mayWrite = may('account:write') && manager === null;
  return (
    <>
      <PageHead
        title={bucket.name}
        back={BACK}
        facts={
          <span>
            {bucketText.createdAt} <Time at={bucket.created_at} />
          </span>
        }
      >
        {mayWrite && (
          <RemoveButton
            texts={bucketText}
            text={bucketText.removeText}
            remove={() => call('DELETE /account/buckets/{bucket_id}', { params: { bucket_id } })}
            back="/buckets"
          />
        )}
      </PageHead>
      <ManagedNotice manager={manager} />
      <div class="columns">
        <Settings bucket={bucket} show={show} isReadOnly={!mayWrite} />
        <div class="card-column">
          {mayWrite && <Keys bucket={bucket} show={show} />}
          {may('account:write') && <Test bucketId={bucket_id} />}
        </div>
      </div>
    </>
  );
}

function Settings({ bucket, show, isReadOnly }: Shown & { isReadOnly: boolean }) {
  const { id: bucket_id, endpoint } = bucket;
  const form = useForm(
    { ...formValues(SETTINGS, bucket), ...NO_KEYS },
    async ({ access_key_id, secret_access_key, ...values }) => {
      const credentials = { access_key_id, secret_access_key };
      const changed = await call('PATCH /account/buckets/{bucket_id}', {
        params: { bucket_id },
        body: {
          ...fieldsOf(SETTINGS, values),
          ...(isOtherHost(values.endpoint, endpoint) && { credentials }),
        },
      });
      toast(bucketText.saved);
      show(changed);
    },
    isReadOnly,
  );
  return (
    <form class="card form" aria-labelledby="bucket-settings" onSubmit={form.onSubmit}>
      <h2 id="bucket-settings">{bucketText.settings}</h2>
      <TableFields table={SETTINGS} form={form} />
      {isOtherHost(form.values.endpoint, endpoint) && (
        <>
          <p class="hint">{bucketText.otherHost}</p>
          <KeyFields form={form} />
        </>
      )}
      <SubmitButton form={form} label={bucketText.save} />
    </form>
  );
}

/** The API wants the keys of another host in the same request. */
function isOtherHost(typed: string, endpoint: string): boolean {
  const url = typed.trim();
  return URL.canParse(url) && new URL(url).host !== new URL(endpoint).host;
}

function Keys({ bucket, show }: Shown) {
  const form = useForm({ ...NO_KEYS, access_key_id: bucket.access_key_id }, async (credentials) => {
    const changed = await call('PATCH /account/buckets/{bucket_id}', {
      params: { bucket_id: bucket.id },
      body: { credentials },
    });
    toast(bucketText.replaced);
    show(changed);
  });
  return (
    <form class="card form" aria-labelledby="bucket-keys" onSubmit={form.onSubmit}>
      <h2 id="bucket-keys">{bucketText.keys}</h2>
      <p class="hint">{bucketText.keysHint}</p>
      <KeyFields form={form} />
      <SubmitButton form={form} label={bucketText.replace} />
    </form>
  );
}

const Test = ({ bucketId }: { bucketId: string }) => (
  <TestCard
    id="bucket-test"
    texts={bucketText.test}
    test={() => call('POST /account/buckets/{bucket_id}/test', { params: { bucket_id: bucketId } })}
  >
    {({ ok, error }) => (
      <p>
        <Status tone={ok ? 'good' : 'bad'} text={ok ? bucketText.works : bucketText.fails} />{' '}
        {error === null ? bucketText.worksText : plain(error)}
      </p>
    )}
  </TestCard>
);
