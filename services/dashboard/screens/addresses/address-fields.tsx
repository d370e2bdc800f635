/** The settings that a new address and an existing one have in common. */
import type { Address, PayloadSettings } from '../../../core/api/api-types.generated.ts';
import { CheckField, NumberField, SelectField } from '../../parts/form-fields.tsx';
import type { Form } from '../../parts/use-form.ts';
import { addressText } from '../../strings/addresses.ts';
import { ContentFields, contentOf, contentValues } from './content-fields.tsx';

type Settings = Pick<Address, 'payload' | 'spam_refuse_above' | 'retention_hours' | 'redact'>;
type SettingValues = ReturnType<typeof settingValues>;

export const settingValues = ({ payload, spam_refuse_above, ...content }: Settings) => ({
  ...payload,
  ...contentValues(content),
  spam_refuse_above: String(spam_refuse_above ?? ''),
});

export const settingsOf = ({ spam_refuse_above, ...values }: SettingValues): Settings => ({
  payload: { attachments: values.attachments, raw: values.raw },
  ...contentOf(values),
  spam_refuse_above: spam_refuse_above.trim() === '' ? null : Number(spam_refuse_above),
});

const MODES = Object.entries(addressText.attachmentModes) as [
  PayloadSettings['attachments'],
  string,
][];

export const AddressFields = ({ form }: { form: Form<SettingValues> }) => (
  <>
    <SelectField form={form} name="attachments" label={addressText.attachments} options={MODES} />
    <CheckField form={form} name="raw" label={addressText.raw} />
    <ContentFields form={form} />
    <NumberField
      form={form}
      name="spam_refuse_above"
      label={addressText.spamRefuse}
      hint={addressText.spamRefuseHint}
      step="0.1"
    />
  </>
);
