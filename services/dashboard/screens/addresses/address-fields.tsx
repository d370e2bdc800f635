/** The settings that a new address and an existing one have in common. */

import type { Address, PayloadSettings } from '../../../core/api/api-types.generated.ts';
import {
  CheckField,
  NumberField,
  SelectField,
  TextAreaField,
  TextField,
} from '../../parts/form-fields.tsx';
import { labelsIn, labelsText, wordsIn } from '../../parts/labels.ts';
import { Fold } from '../../parts/forms/fold.tsx';
import type { FieldPaths } from '../../parts/forms/field-path.ts';
import type { Form } from '../../parts/use-form.ts';
import { addressText } from '../../strings/addresses.ts';
import { ContentFields, contentOf, contentValues } from './content-fields.tsx';
import { ExpectFields, expectIn, expectValues } from '../rules/expect-fields.tsx';
import { ExtractFields } from './extract-fields.tsx';
import { StorageFields, storageOf } from './storage-fields.tsx';

type Settings = { payload: PayloadSettings } & Pick<
  Address,
  | 'spam_refuse_above'
  | 'refuse_infected'
  | 'allowed_senders'
  | 'reply_addresses'
  | 'reply_only'
  | 'allowed_attachments'
  | 'labels'
  | 'max_per_hour'
  | 'expect'
  | 'retention_hours'
  | 'redact'
>;
type SettingValues = ReturnType<typeof settingValues>;
type Refusal = keyof typeof addressText.refusals;

export const settingValues = ({
  payload,
  spam_refuse_above,
  refuse_infected,
  allowed_senders,
  reply_addresses,
  reply_only,
  allowed_attachments,
  labels,
  max_per_hour,
  expect,
  ...content
}: Settings) => ({
  labels: labelsText(labels),
  attachments: payload.attachments,
  raw: payload.raw,
  extract: payload.extract,
  storage: payload.storage,
  ...contentValues(content),
  spam_refuse_above: String(spam_refuse_above ?? ''),
  refuseInfected: refusalOf(refuse_infected),
  max_per_hour: String(max_per_hour ?? ''),
  ...expectValues(expect),
  types: allowed_attachments?.types?.join(', ') ?? '',
  allowsNone: allowed_attachments?.types?.length === 0,
  max_bytes: String(allowed_attachments?.max_bytes ?? ''),
  senders: allowed_senders?.senders.join('\n') ?? '',
  requireAuthenticated: allowed_senders?.require_authenticated ?? true,
  acceptForwarded: allowed_senders?.accept_forwarded ?? false,
  replies: repliesOf({ reply_addresses, reply_only }),
});

/** Where the API has them. */
export const SETTING_PATHS: FieldPaths<SettingValues> = {
  refuseInfected: 'refuse_infected',
  replies: 'reply_addresses',
  expectEvery: 'expect.every',
  expectGrace: 'expect.grace',
  expectWhen: 'expect.when',
};

const repliesOf = ({
  reply_addresses,
  reply_only,
}: Pick<Settings, 'reply_addresses' | 'reply_only'>): keyof typeof addressText.replyModes =>
  reply_only ? 'only' : reply_addresses ? 'on' : 'off';
const refusalOf = (isRefused: boolean | null): Refusal =>
  isRefused === null ? 'account' : isRefused ? 'yes' : 'no';

const numberIn = (text: string) => (text.trim() === '' ? null : Number(text));

const attachmentsOf = (values: SettingValues): Settings['allowed_attachments'] => {
  const listed = values.allowsNone ? [] : wordsIn(values.types);
  const types = listed.length > 0 || values.allowsNone ? listed : null;
  const max_bytes = numberIn(values.max_bytes);
  return types || max_bytes !== null ? { types, max_bytes } : null;
};

const sendersOf = (values: SettingValues): Settings['allowed_senders'] => {
  const senders = wordsIn(values.senders);
  if (senders.length === 0) return null;
  return {
    senders,
    require_authenticated: values.requireAuthenticated,
    accept_forwarded: values.acceptForwarded,
  };
};

export const settingsOf = (values: SettingValues): Settings => ({
  payload: {
    attachments: values.attachments,
    raw: values.raw,
    extract: values.extract,
    storage: storageOf(values.storage),
  },
  ...contentOf(values),
  spam_refuse_above: numberIn(values.spam_refuse_above),
  allowed_senders: sendersOf(values),
  allowed_attachments: attachmentsOf(values),
  labels: labelsIn(values.labels),
  max_per_hour: numberIn(values.max_per_hour),
  expect: expectIn(values),
  refuse_infected: values.refuseInfected === 'account' ? null : values.refuseInfected === 'yes',
  reply_addresses: values.replies !== 'off',
  reply_only: values.replies === 'only',
});

const MODES = Object.entries(addressText.attachmentModes) as [
  PayloadSettings['attachments'],
  string,
][];

const REPLY_MODES = Object.entries(addressText.replyModes) as [
  keyof typeof addressText.replyModes,
  string,
][];
const REFUSALS = Object.entries(addressText.refusals) as [Refusal, string][];

export const AddressFields = ({ form }: { form: Form<SettingValues> }) => (
  <>
    <Fold title={addressText.groups.payload} hint={addressText.groupHints.payload}>
      <SelectField form={form} name="attachments" label={addressText.attachments} options={MODES} />
      <CheckField form={form} name="raw" label={addressText.raw} />
      <ExtractFields form={form} />
      <StorageFields form={form} />
    </Fold>
    <Fold title={addressText.groups.content} hint={addressText.groupHints.content}>
      <ContentFields form={form} />
    </Fold>
    <Fold title={addressText.groups.expected} hint={addressText.groupHints.expected}>
      <ExpectFields form={form} />
    </Fold>
    <Fold title={addressText.groups.refused} hint={addressText.groupHints.refused}>
      <div class="field-row">
        <NumberField
          form={form}
          name="spam_refuse_above"
          label={addressText.spamRefuse}
          hint={addressText.spamRefuseHint}
          step="0.1"
        />
        <NumberField
          form={form}
          name="max_per_hour"
          label={addressText.perHour}
          hint={addressText.perHourHint}
          min={1}
        />
      </div>
      <div class="field-row">
        <SelectField form={form} name="replies" label={addressText.replies} options={REPLY_MODES} />
        <SelectField
          form={form}
          name="refuseInfected"
          label={addressText.refuseInfected}
          options={REFUSALS}
        />
      </div>
      <CheckField form={form} name="allowsNone" label={addressText.noAttachments} />
      {!form.values.allowsNone && (
        <>
          <TextField
            form={form}
            name="types"
            label={addressText.attachmentTypes}
            hint={addressText.attachmentTypesHint}
            spellcheck={false}
          />
          <NumberField
            form={form}
            name="max_bytes"
            label={addressText.attachmentBytes}
            hint={addressText.attachmentBytesHint}
            min={1}
          />
        </>
      )}
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
    </Fold>
  </>
);

/** Which tokens reach the address. */
export const LabelsField = ({ form }: { form: Form<SettingValues> }) => (
  <TextField
    form={form}
    name="labels"
    label={addressText.labels}
    hint={addressText.labelsHint}
    spellcheck={false}
  />
);
