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
  const { id: address_id, description } = address;
  const form = useForm(
    {
      description: description ?? '',
      ...formValues(SETTINGS, address),
    },
    async (values) => {
      const body = {
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
      <div class="field-row">
        <TextField form={form} name="description" label={addressText.description} dir="auto" />
        <LabelsField form={form} />
      </div>
      <AddressFields form={form} />
      <SubmitButton form={form} label={addressText.save} />
    </form>
  );
}
