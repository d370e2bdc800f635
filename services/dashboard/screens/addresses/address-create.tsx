/** The form of a new address. */
import { allPages } from '../../client/all-pages.ts';
import { call } from '../../client/api.ts';
import type { CreateAddressRequest } from '../../../core/api/api-types.generated.ts';
import { useResource } from '../../client/resource.ts';
import { go } from '../../browser/router.ts';
import { may } from '../../session/session.ts';
import { Fold } from '../../parts/forms/fold.tsx';
import { fieldsOf, formValues } from '../../parts/forms/form-table.tsx';
import {
  NumberField,
  SelectField,
  SubmitButton,
  TextField,
} from '../../parts/forms/form-fields.tsx';
import { toast } from '../../parts/toast.tsx';
import { useForm } from '../../parts/forms/use-form.ts';
import { addressText } from '../../strings/addresses.ts';
import { AddressFields, LabelsField, SETTINGS } from './address-fields.tsx';
import { formatField } from './payload-fields.tsx';

const FIELDS = { ...SETTINGS, format: formatField };
const NEW = {
  webhook_url: '',
  local_part: '',
  domain: '',
  description: '',
  lifetime: 'permanent',
  ttl_hours: '24',
  ...formValues(FIELDS),
};

export function AddressCreate() {
  const create = async (values: typeof NEW) => {
    const isPermanent = values.lifetime === 'permanent';
    const body: CreateAddressRequest = {
      webhook_url: values.webhook_url.trim() || null,
      local_part: values.local_part.trim() || undefined,
      domain: values.domain || undefined,
      description: values.description.trim() || undefined,
      is_permanent: isPermanent,
      ttl_hours: isPermanent ? undefined : Number(values.ttl_hours),
      ...fieldsOf(FIELDS, values),
    };
    const { id } = await call('POST /addresses', { body });
    toast(addressText.created);
    go(`/addresses/${id}`);
  };
  const form = useForm(NEW, create);
  const { data: domains = [] } = useResource('domains for an address', async (signal) =>
    may('domains:read')
      ? allPages((page) => call('GET /domains', { query: { status: 'verified', ...page }, signal }))
      : [],
  );
  return (
    <form class="form" onSubmit={form.onSubmit}>
      <TextField
        form={form}
        name="webhook_url"
        label={addressText.webhookUrl}
        hint={addressText.webhookUrlHint}
        type="url"
        autoFocus
        placeholder={addressText.webhookUrlPlaceholder}
      />
      <formatField.Fields form={form} record={undefined} />
      <Fold title={addressText.groups.name} hint={addressText.groupHints.name}>
        <div class="field-row">
          <TextField
            form={form}
            name="local_part"
            label={addressText.localPart}
            hint={addressText.localPartHint}
            autoComplete="off"
            spellcheck={false}
          />
          <SelectField
            form={form}
            name="domain"
            label={addressText.domain}
            options={[
              ['', addressText.sharedDomain],
              ...domains.map(({ domain, unicode_domain: shown }) => [domain, shown] as const),
            ]}
          />
        </div>
      </Fold>
      <Fold title={addressText.groups.about} hint={addressText.groupHints.about}>
        <TextField form={form} name="description" label={addressText.description} dir="auto" />
        <LabelsField form={form} />
        <div class="field-row">
          <SelectField
            form={form}
            name="lifetime"
            label={addressText.lifetime}
            options={[
              ['permanent', addressText.permanent],
              ['expiring', addressText.expiring],
            ]}
          />
          {form.values.lifetime === 'expiring' && (
            <NumberField
              form={form}
              name="ttl_hours"
              label={`${addressText.expiresAfter} (${addressText.hours})`}
              min={1}
              required
            />
          )}
        </div>
      </Fold>
      <AddressFields form={form} />
      <SubmitButton form={form} label={addressText.submit} />
    </form>
  );
}
