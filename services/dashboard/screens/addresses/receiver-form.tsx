/** Adds a receiver to an address, or changes one. */
import { call } from '../../client/api.ts';
import type {
  PayloadSettings,
  Receiver,
  ReceiverWithSecret,
} from '../../../core/api/api-types.generated.ts';
import {
  CheckField,
  SelectField,
  SubmitButton,
  TextField,
} from '../../parts/forms/form-fields.tsx';
import { toast } from '../../parts/toast.tsx';
import { useForm } from '../../parts/forms/use-form.ts';
import { ConditionField } from '../rules/condition-field.tsx';
import { addressText } from '../../strings/addresses.ts';
import { receiverText } from '../../strings/receivers.ts';
import { AUTH_PATHS, AuthFields, authOf, initialAuth } from './auth-fields.tsx';
import { ExtractFields } from './extract-fields.tsx';
import { StorageFields, storageOf } from './storage-fields.tsx';

type Props = {
  addressId: string;
  /** undefined for a new one. */
  receiver: Receiver | undefined;
  close: () => void;
  /** @param made when it is a new receiver */
  saved: (made: ReceiverWithSecret | undefined) => void;
};

const MODES = Object.entries(addressText.attachmentModes) as [
  PayloadSettings['attachments'],
  string,
][];

const TRANSFERS = Object.entries(receiverText.modes) as [Receiver['mode'], string][];
const SIGNINGS = Object.entries(receiverText.signings) as [Receiver['signing'], string][];
const FORMATS = Object.entries(receiverText.formats) as [Receiver['format'], string][];

export function ReceiverForm({ addressId, receiver, close, saved }: Props) {
  const form = useForm(
    {
      mode: receiver?.mode ?? 'push',
      url: receiver?.url ?? '',
      description: receiver?.description ?? '',
      when: receiver?.when ?? '',
      format: receiver?.format ?? 'inlet',
      signing: receiver?.signing ?? 'hmac',
      ...initialAuth(receiver),
      ...(receiver?.payload ??
        ({ attachments: 'inline', raw: false, extract: [], storage: null } as PayloadSettings)),
    },
    async ({
      mode,
      url,
      description,
      when,
      format,
      signing,
      attachments,
      raw,
      extract,
      storage,
      ...authValues
    }) => {
      const auth = authOf(authValues);
      const body = {
        mode,
        url: url.trim() || null,
        description: description.trim() || null,
        when: when.trim() || null,
        payload: { attachments, raw, extract, storage: storageOf(storage) },
        format,
        signing,
        ...(auth !== undefined && { auth }),
      };
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
    },
    false,
    AUTH_PATHS,
  );
  const isFirst = receiver !== undefined && receiver.id === receiver.address_id;
  const asks = form.values.mode === 'pull';
  return (
    <form class="form" onSubmit={form.onSubmit}>
      <h2>{receiver ? receiverText.editTitle : receiverText.add}</h2>
      <SelectField
        form={form}
        name="mode"
        label={receiverText.mode}
        hint={asks ? receiverText.pullHint : undefined}
        options={TRANSFERS}
      />
      {!asks && (
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
      )}
      <TextField form={form} name="description" label={receiverText.description} dir="auto" />
      <ConditionField form={form} label={receiverText.when} whenNone="" />
      <SelectField
        form={form}
        name="attachments"
        label={receiverText.attachments}
        options={MODES}
      />
      <CheckField form={form} name="raw" label={receiverText.raw} />
      <ExtractFields form={form} />
      <StorageFields form={form} />
      <SelectField form={form} name="format" label={receiverText.format} options={FORMATS} />
      <SelectField
        form={form}
        name="signing"
        label={receiverText.signing}
        hint={receiver && receiverText.signingHint}
        options={SIGNINGS}
      />
      <AuthFields form={form} receiver={receiver} />
      <div class="buttons">
        <SubmitButton form={form} label={receiver ? receiverText.save : receiverText.submit} />
        <button type="button" onClick={close}>
          {receiverText.cancel}
        </button>
      </div>
    </form>
  );
}
