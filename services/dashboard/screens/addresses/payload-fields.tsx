/** How the payload of a receiver carries attachments and the raw email, and its optional parts. */
import type { PayloadSettings } from '../../../core/api/api-types.generated.ts';
import { FieldError } from '../../parts/field.tsx';
import { CheckField, SelectField } from '../../parts/forms/form-fields.tsx';
import type { Form } from '../../parts/forms/use-form.ts';
import { optionField } from '../../parts/forms/form-table.tsx';
import { addressText } from '../../strings/addresses.ts';
import { receiverText } from '../../strings/receivers.ts';
import { StorageFields, storageOf } from './storage-fields.tsx';

const NO_OPTION: PayloadSettings = {
  attachments: 'inline',
  raw: false,
  extract: [],
  storage: null,
};
type Extraction = PayloadSettings['extract'][number];

const CHOICES = Object.entries(addressText.extractions) as [Extraction, string][];

const MODES = Object.entries(addressText.attachmentModes);

/** In the tables of an address and of a receiver. */
export const payloadField = {
  group: 'payload',
  values: (value: PayloadSettings | undefined): PayloadSettings => ({ ...NO_OPTION, ...value }),
  read: ({ attachments, raw, extract, storage }: PayloadSettings): PayloadSettings => ({
    attachments,
    raw,
    extract,
    storage: storageOf(storage),
  }),
  Fields: ({ form }: { form: Form<PayloadSettings> }) => (
    <>
      <SelectField form={form} name="attachments" label={addressText.attachments} options={MODES} />
      <CheckField form={form} name="raw" label={addressText.raw} />
      <ExtractFields form={form} />
      <StorageFields form={form} />
    </>
  ),
};

/** Which service's webhooks the receiver was written for. */
export const formatField = optionField(
  'format',
  receiverText.format,
  receiverText.formats,
  'inlet',
);

/** What Inlet reads from the emails, in addition to their parts. */
function ExtractFields({ form }: { form: Form<Pick<PayloadSettings, 'extract'>> }) {
  const { extract } = form.values;
  const choose = (name: Extraction, isAsked: boolean) => {
    const others = extract.filter((one) => one !== name);
    form.set('extract', isAsked ? [...others, name] : others);
  };
  return (
    <fieldset name="extract">
      <legend>{addressText.extract}</legend>
      <div class="check-grid">
        {CHOICES.map(([name, label]) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              disabled={form.isReadOnly}
              checked={extract.includes(name)}
              onChange={({ currentTarget }) => choose(name, currentTarget.checked)}
            />
            {label}
          </label>
        ))}
      </div>
      <FieldError error={form.errorOf('extract')} />
    </fieldset>
  );
}
