/** The fields of a bucket, in the form that adds one and in its settings. */
import type { Bucket } from '../../../core/api/api-types.generated.ts';
import { SelectField, TextField } from '../../parts/forms/form-fields.tsx';
import type { Form } from '../../parts/forms/use-form.ts';
import { bucketText } from '../../strings/buckets/bucket.ts';

type Values = Pick<Bucket, 'endpoint' | 'bucket' | 'region' | 'prefix' | 'addressing'> & {
  description: string;
};
type KeyValues = { access_key_id: string; secret_access_key: string };

export const NO_KEYS: KeyValues = { access_key_id: '', secret_access_key: '' };

const ADDRESSINGS = Object.entries(bucketText.addressings) as [Bucket['addressing'], string][];

/** As a request has them. */
export const bucketSettings = (values: Values) => ({
  endpoint: values.endpoint.trim(),
  bucket: values.bucket.trim(),
  region: values.region.trim(),
  prefix: values.prefix.trim(),
  addressing: values.addressing,
  description: values.description.trim() || null,
});

export const BucketFields = <V extends Values>({ form }: { form: Form<V> }) => (
  <>
    <TextField
      form={form}
      name="endpoint"
      label={bucketText.endpoint}
      hint={bucketText.endpointHint}
      type="url"
      required
      placeholder={bucketText.endpointPlaceholder}
    />
    <TextField form={form} name="bucket" label={bucketText.bucket} required spellcheck={false} />
    <div class="field-row">
      <TextField
        form={form}
        name="region"
        label={bucketText.region}
        hint={bucketText.regionHint}
        required
        spellcheck={false}
      />
      <TextField
        form={form}
        name="prefix"
        label={bucketText.prefix}
        hint={bucketText.prefixHint}
        spellcheck={false}
      />
    </div>
    <SelectField
      form={form}
      name="addressing"
      label={bucketText.addressing}
      options={ADDRESSINGS}
    />
    <TextField form={form} name="description" label={bucketText.description} dir="auto" />
  </>
);

export const KeyFields = <V extends KeyValues>({ form }: { form: Form<V> }) => (
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
