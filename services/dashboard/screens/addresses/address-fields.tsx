/**
 * The settings that a new address and an existing one have in common: one entry for each field of the
 * API. The table does not compile when one is missing.
 */
import type {
  Address,
  CreateAddressRequest,
  UpdateAddressRequest,
} from '../../../core/api/api-types.generated.ts';
import {
  CheckField,
  NumberField,
  SelectField,
  TextAreaField,
  TextField,
} from '../../parts/forms/form-fields.tsx';
import { labelsIn, labelsText, wordsIn } from '../../parts/labels.ts';
import { Fold } from '../../parts/forms/fold.tsx';
import {
  choiceField,
  type FormField,
  type FormValues,
  numberField,
  numberIn,
  TableFields,
} from '../../parts/forms/form-table.tsx';
import type { Form } from '../../parts/forms/use-form.ts';
import { addressText } from '../../strings/addresses.ts';
import { ContentFields, contentOf, contentValues } from './content-fields.tsx';
import { ExpectFields, expectIn, expectValues } from '../rules/expect-fields.tsx';
import { payloadField } from './payload-fields.tsx';

/** Fields of the first receiver, the lifetime and the rules have their own components. */
type SettingName = Exclude<
  keyof CreateAddressRequest & keyof UpdateAddressRequest & keyof Address,
  | 'webhook_url'
  | 'webhook_enabled'
  | 'mode'
  | 'when'
  | 'format'
  | 'signing'
  | 'auth'
  | 'description'
  | 'is_permanent'
  | 'rules'
  | 'hook'
>;

type Attachments = Address['allowed_attachments'];
type AttachmentValues = { types: string; allows_none: boolean; max_bytes: string };

const allowed_attachments = {
  group: 'refused',
  values: (value: Attachments | undefined): AttachmentValues => ({
    types: value?.types?.join(', ') ?? '',
    allows_none: value?.types?.length === 0,
    max_bytes: String(value?.max_bytes ?? ''),
  }),
  read: (values: AttachmentValues): Attachments => {
    const listed = values.allows_none ? [] : wordsIn(values.types);
    const types = listed.length > 0 || values.allows_none ? listed : null;
    const max_bytes = numberIn(values.max_bytes);
    return types || max_bytes !== null ? { types, max_bytes } : null;
  },
  Fields: ({ form }: { form: Form<AttachmentValues> }) => (
    <>
      <CheckField form={form} name="allows_none" label={addressText.noAttachments} />
      {!form.values.allows_none && (
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
    </>
  ),
};

type Senders = Address['allowed_senders'];
type SenderValues = { senders: string; require_authenticated: boolean; accept_forwarded: boolean };

const allowed_senders = {
  group: 'refused',
  values: (value: Senders | undefined): SenderValues => ({
    senders: value?.senders.join('\n') ?? '',
    require_authenticated: value?.require_authenticated ?? true,
    accept_forwarded: value?.accept_forwarded ?? false,
  }),
  read: ({ senders: text, ...proof }: SenderValues): Senders => {
    const senders = wordsIn(text);
    const { require_authenticated, accept_forwarded } = proof;
    return senders.length === 0 ? null : { senders, require_authenticated, accept_forwarded };
  },
  Fields: ({ form }: { form: Form<SenderValues> }) => (
    <>
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
            name="require_authenticated"
            label={addressText.requireAuthenticated}
          />
          <CheckField form={form} name="accept_forwarded" label={addressText.acceptForwarded} />
        </>
      )}
    </>
  ),
};

type Replies = { reply_addresses: keyof typeof addressText.replyModes };

export const SETTINGS = {
  labels: {
    values: (value: Address['labels'] | undefined) => ({ labels: labelsText(value ?? {}) }),
    read: ({ labels }: { labels: string }) => labelsIn(labels),
  },
  payload: payloadField,
  retention_hours: {
    group: 'content',
    values: (_: unknown, { retention_hours = null, redact = null }: Partial<Address>) =>
      contentValues({ retention_hours, redact }),
    read: (values: ReturnType<typeof contentValues>) => contentOf(values).retention_hours,
    Fields: ContentFields,
  },
  /** In one row with retention_hours. */
  redact: {
    values: () => ({}),
    read: (values: ReturnType<typeof contentValues>) => contentOf(values).redact,
  },
  expect: {
    group: 'expected',
    values: (value: Address['expect'] | undefined) => expectValues(value ?? null),
    read: expectIn,
    Fields: ExpectFields,
  },
  spam_refuse_above: {
    group: 'refused',
    ...numberField(
      'spam_refuse_above',
      { label: addressText.spamRefuse, hint: addressText.spamRefuseHint },
      { step: '0.1' },
    ),
  },
  max_per_hour: {
    group: 'refused',
    ...numberField(
      'max_per_hour',
      { label: addressText.perHour, hint: addressText.perHourHint },
      { min: 1 },
    ),
  },
  reply_addresses: {
    group: 'refused',
    isNarrow: true,
    values: (value: boolean | undefined, { reply_only }: Partial<Address>): Replies => ({
      reply_addresses: reply_only ? 'only' : value ? 'on' : 'off',
    }),
    read: ({ reply_addresses: mode }: Replies) => mode !== 'off',
    Fields: ({ form }: { form: Form<Replies> }) => (
      <SelectField
        form={form}
        name="reply_addresses"
        label={addressText.replies}
        options={Object.entries(addressText.replyModes)}
      />
    ),
  },
  reply_only: {
    values: () => ({}),
    read: ({ reply_addresses: mode }: Replies) => mode === 'only',
  },
  refuse_infected: {
    group: 'refused',
    ...choiceField(
      'refuse_infected',
      { label: addressText.refuseInfected },
      addressText.refusals,
      { account: null, yes: true, no: false },
      'account',
    ),
  },
  allowed_attachments,
  allowed_senders,
} satisfies { [Name in SettingName]: FormField<Address[Name], Address> };

type SettingValues = FormValues<typeof SETTINGS>;
type Props = { form: Form<SettingValues> };
type Group = 'payload' | 'content' | 'expected' | 'refused';

const FieldGroup = ({ group, form }: Props & { group: Group }) => (
  <Fold title={addressText.groups[group]} hint={addressText.groupHints[group]}>
    <TableFields table={SETTINGS} form={form} group={group} />
  </Fold>
);

export const AddressFields = ({ form }: Props) => (
  <>
    <FieldGroup group="payload" form={form} />
    <FieldGroup group="content" form={form} />
    <FieldGroup group="expected" form={form} />
    <FieldGroup group="refused" form={form} />
  </>
);

/** Which tokens reach the address. */
export const LabelsField = ({ form }: Props) => (
  <TextField
    form={form}
    name="labels"
    label={addressText.labels}
    hint={addressText.labelsHint}
    spellcheck={false}
  />
);
