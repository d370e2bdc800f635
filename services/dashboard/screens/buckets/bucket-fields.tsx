/** The fields of a bucket, in the form that adds one and in its settings. */
import { nullableText, optionField, textField } from '../../parts/forms/form-table.tsx';
import { TextField } from '../../parts/forms/form-fields.tsx';
import type { Form } from '../../parts/forms/use-form.ts';
import { bucketText } from '../../strings/buckets/bucket.ts';

export const SETTINGS = {
  endpoint: textField(
    'endpoint',
    { label: bucketText.endpoint, hint: bucketText.endpointHint },
    { type: 'url', required: true, placeholder: bucketText.endpointPlaceholder },
  ),
  bucket: textField('bucket', { label: bucketText.bucket }, { required: true, spellcheck: false }),
  region: {
    ...textField(
      'region',
      { label: bucketText.region, hint: bucketText.regionHint },
      { required: true, spellcheck: false },
    ),
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

export const NO_KEYS: KeyValues = { access_key_id: '', secret_access_key: '' };

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
