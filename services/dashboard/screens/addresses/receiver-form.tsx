/** Adds a receiver to an address, or changes one: one entry for each field of the API. */
import { call } from '../../client/api.ts';
import type {
  CreateReceiverRequest,
  Receiver,
  ReceiverWithSecret,
  UpdateReceiverRequest,
} from '../../../core/api/api-types.generated.ts';
import { SubmitButton, TextField } from '../../parts/forms/form-fields.tsx';
import {
  type AnyField,
  fieldsOf,
  type FormValues,
  formValues,
  nullableText,
  optionField,
  TableFields,
} from '../../parts/forms/form-table.tsx';
import { Fold } from '../../parts/forms/fold.tsx';
import { toast } from '../../parts/toast.tsx';
import { type Form, useForm } from '../../parts/forms/use-form.ts';
import { ConditionField } from '../rules/condition-field.tsx';
import { addressText } from '../../strings/addresses.ts';
import { receiverText } from '../../strings/receivers.ts';
import { AUTH_PATHS, AuthFields, authOf, type AuthValues, initialAuth } from './auth-fields.tsx';
import { formatField, payloadField } from './payload-fields.tsx';

type Props = {
  addressId: string;
  /** undefined for a new one. */
  receiver: Receiver | undefined;
  close: () => void;
  /** @param made when it is a new receiver */
  saved: (made: ReceiverWithSecret | undefined) => void;
};

/** The list of receivers switches them on and off. */
type FieldName = Exclude<keyof CreateReceiverRequest & keyof UpdateReceiverRequest, 'is_enabled'>;
type Shown<Values> = { form: Form<Values>; record: Receiver | undefined };

const FIELDS = {
  url: {
    ...nullableText('url', { label: receiverText.url }),
    Fields: ({ form, record }: Shown<Pick<Receiver, 'mode' | 'url'>>) => {
      if (form.values.mode === 'pull') return <p class="hint">{receiverText.pullHint}</p>;
      const isFirst = record !== undefined && record.id === record.address_id;
      return (
        <TextField
          form={form}
          name="url"
          label={receiverText.url}
          hint={isFirst ? addressText.noUrlHint : receiverText.urlHint}
          type="url"
          required={!isFirst}
          autoFocus
          placeholder={receiverText.urlPlaceholder}
        />
      );
    },
  },
  format: formatField,
  description: {
    group: 'about',
    ...nullableText('description', { label: receiverText.description }, { dir: 'auto' }),
  },
  when: {
    group: 'about',
    ...nullableText('when', { label: receiverText.when }),
    Fields: ({ form }: { form: Form<{ when: string }> }) => (
      <ConditionField form={form} label={receiverText.when} whenNone="" />
    ),
  },
  mode: {
    group: 'transfer',
    ...optionField('mode', receiverText.mode, receiverText.modes, 'push'),
  },
  payload: payloadField,
  signing: {
    group: 'security',
    ...optionField('signing', receiverText.signing, receiverText.signings, 'hmac', (_, made) =>
      made ? receiverText.signingHint : undefined,
    ),
  },
  auth: {
    group: 'security',
    values: initialAuth,
    read: authOf,
    Fields: ({ form, record }: Shown<AuthValues>) => <AuthFields form={form} receiver={record} />,
  },
} satisfies {
  [Name in FieldName]: AnyField & { read: (values: never) => UpdateReceiverRequest[Name] };
};

export function ReceiverForm({ addressId, receiver, close, saved }: Props) {
  const send = async (values: FormValues<typeof FIELDS>) => {
    const body = fieldsOf(FIELDS, values);
    if (receiver === undefined) {
      const path = 'POST /addresses/{address_id}/receivers';
      const made = await call(path, { params: { address_id: addressId }, body });
      toast(receiverText.added);
      return saved(made);
    }
    const params = { address_id: addressId, receiver_id: receiver.id };
    const path = 'PATCH /addresses/{address_id}/receivers/{receiver_id}';
    await call(path, { params, body });
    toast(receiverText.saved);
    saved(undefined);
  };
  const form = useForm(formValues(FIELDS, receiver), send, false, AUTH_PATHS);
  return (
    <form class="form" onSubmit={form.onSubmit}>
      <h2>{receiver ? receiverText.editTitle : receiverText.add}</h2>
      <TableFields table={FIELDS} form={form} record={receiver} />
      {Object.entries(receiverText.groups).map(([group, title]) => (
        <Fold key={group} title={title}>
          <TableFields table={FIELDS} form={form} record={receiver} group={group} />
        </Fold>
      ))}
      <SubmitButton
        form={form}
        label={receiver ? receiverText.save : receiverText.submit}
        close={close}
      />
    </form>
  );
}
