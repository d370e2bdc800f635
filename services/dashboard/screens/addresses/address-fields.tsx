/** The settings that a new address and an existing one have in common. */
import type { Address, PayloadSettings } from '../../../core/api/api-types.generated.ts';
import { CheckField, NumberField, SelectField, TextAreaField } from '../../parts/form-fields.tsx';
import type { Form } from '../../parts/use-form.ts';
import { addressText } from '../../strings/addresses.ts';
import { ContentFields, contentOf, contentValues } from './content-fields.tsx';
import { ExtractFields } from './extract-fields.tsx';

type Settings = Pick<
  Address,
  'payload' | 'spam_refuse_above' | 'allowed_senders' | 'retention_hours' | 'redact'
>;
type SettingValues = ReturnType<typeof settingValues>;

export const settingValues = ({
  payload,
  spam_refuse_above,
  allowed_senders,
  ...content
}: Settings) => ({
  ...payload,
  ...contentValues(content),
  spam_refuse_above: String(spam_refuse_above ?? ''),
  senders: allowed_senders?.senders.join('\n') ?? '',
  requireAuthenticated: allowed_senders?.require_authenticated ?? true,
  acceptForwarded: allowed_senders?.accept_forwarded ?? false,
});

const sendersOf = (values: SettingValues): Settings['allowed_senders'] => {
  const senders = values.senders.split(/[\s,;]+/).filter((text) => text !== '');
  if (senders.length === 0) return null;
  return {
    senders,
    require_authenticated: values.requireAuthenticated,
    accept_forwarded: values.acceptForwarded,
  };
};

export const settingsOf = ({ spam_refuse_above, ...values }: SettingValues): Settings => ({
  payload: { attachments: values.attachments, raw: values.raw, extract: values.extract },
  ...contentOf(values),
  spam_refuse_above: spam_refuse_above.trim() === '' ? null : Number(spam_refuse_above),
  allowed_senders: sendersOf({ ...values, spam_refuse_above }),
});

const MODES = Object.entries(addressText.attachmentModes) as [
  PayloadSettings['attachments'],
  string,
][];

export const AddressFields = ({ form }: { form: Form<SettingValues> }) => (
  <>
    <SelectField form={form} name="attachments" label={addressText.attachments} options={MODES} />
    <CheckField form={form} name="raw" label={addressText.raw} />
    <ExtractFields form={form} />
    <ContentFields form={form} />
    <NumberField
      form={form}
      name="spam_refuse_above"
      label={addressText.spamRefuse}
      hint={addressText.spamRefuseHint}
      step="0.1"
    />
    <TextAreaField
      form={form}
      name="senders"
      label={addressText.senders}
      hint={addressText.sendersHint}
      rows={3}
      spellcheck={false}
    />
    {form.values.senders.trim() !== '' && (
      <>
        <CheckField
          form={form}
          name="requireAuthenticated"
          label={addressText.requireAuthenticated}
        />
        <CheckField form={form} name="acceptForwarded" label={addressText.acceptForwarded} />
      </>
    )}
  </>
);
