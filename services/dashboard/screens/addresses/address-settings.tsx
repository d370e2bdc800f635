/** What a user can change about an address. */
import { call } from '../../client/api.ts';
import type { Address } from '../../../core/api/api-types.generated.ts';
import { SubmitButton, TextField } from '../../parts/forms/form-fields.tsx';
import { fieldsOf, formValues } from '../../parts/forms/form-table.tsx';
import { toast } from '../../parts/toast.tsx';
import { useForm } from '../../parts/forms/use-form.ts';
import { addressText } from '../../strings/addresses.ts';
import { AddressFields, LabelsField, SETTINGS } from './address-fields.tsx';

type Props = { address: Address; show: (changed: Address) => void; isReadOnly: boolean };

export function AddressSettings({ address, show, isReadOnly }: Props) {
  const { id: address_id, webhook_url, description } = address;
  const form = useForm(
    {
      webhook_url: webhook_url ?? '',
      description: description ?? '',
      ...formValues(SETTINGS, address),
    },
    async (values) => {
      const body = {
        webhook_url: values.webhook_url.trim() || null,
        description: values.description.trim() || null,
        ...fieldsOf(SETTINGS, values),
      };
      const changed = await call('PATCH /addresses/{address_id}', { params: { address_id }, body });
      toast(addressText.saved);
      show(changed);
    },
    isReadOnly,
  );
  return (
    <form class="card form" aria-labelledby="address-settings" onSubmit={form.onSubmit}>
      <h2 id="address-settings">{addressText.facts}</h2>
      <TextField
        form={form}
        name="webhook_url"
        label={addressText.webhookUrl}
        hint={addressText.noUrlHint}
        type="url"
      />
      <TextField form={form} name="description" label={addressText.description} dir="auto" />
      <LabelsField form={form} />
      <AddressFields form={form} />
      <SubmitButton form={form} label={addressText.save} />
    </form>
  );
}
