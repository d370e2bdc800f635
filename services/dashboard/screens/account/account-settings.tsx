/** What a user can change about the account. */
import { call } from '../../client/api.ts';
import type { Account } from '../../../core/api/api-types.generated.ts';
import { ContentFields, contentOf, contentValues } from '../addresses/content-fields.tsx';
import {
  CheckField,
  NumberField,
  SelectField,
  SubmitButton,
  TextField,
} from '../../parts/forms/form-fields.tsx';
import { toast } from '../../parts/toast.tsx';
import { useForm } from '../../parts/forms/use-form.ts';
import { accountText } from '../../strings/account.ts';

type Props = { account: Account; isReadOnly: boolean; show: (changed: Account) => void };

const TIMEZONES = Intl.supportedValuesOf('timeZone');

export function AccountSettingsForm({ account, isReadOnly, show }: Props) {
  const { name, company, settings } = account;
  const { timezone } = settings;
  const form = useForm(
    {
      name,
      company,
      timezone,
      webhook_retry_attempts: String(settings.webhook_retry_attempts),
      default_ttl_hours: String(settings.default_ttl_hours),
      disable_failing_addresses: settings.disable_failing_addresses,
      refuse_infected: settings.refuse_infected,
      search_bodies: settings.search_bodies,
      record_views: settings.record_views,
      ...contentValues(settings),
    },
    async (values) => {
      const { retention_hours, redact } = contentOf(values);
      const body = {
        name: values.name.trim(),
        company: values.company.trim(),
        settings: {
          timezone: values.timezone,
          webhook_retry_attempts: Number(values.webhook_retry_attempts),
          default_ttl_hours: Number(values.default_ttl_hours),
          disable_failing_addresses: values.disable_failing_addresses,
          refuse_infected: values.refuse_infected,
          search_bodies: values.search_bodies,
          record_views: values.record_views,
          retention_hours,
          redact: redact ?? [],
        },
      };
      show(await call('PATCH /account', { body }));
      toast(accountText.saved);
    },
    isReadOnly,
  );
  const zones = TIMEZONES.includes(timezone) ? TIMEZONES : [timezone, ...TIMEZONES];
  return (
    <form class="card form" aria-labelledby="account-settings" onSubmit={form.onSubmit}>
      <h2 id="account-settings">{accountText.facts}</h2>
      <TextField form={form} name="name" label={accountText.name} required />
      <TextField form={form} name="company" label={accountText.company} />
      <SelectField
        form={form}
        name="timezone"
        label={accountText.timezone}
        hint={accountText.timezoneHint}
        options={zones.map((zone) => [zone, zone])}
      />
      <div class="field-row">
        <NumberField
          form={form}
          name="webhook_retry_attempts"
          label={accountText.retries}
          min={0}
          max={6}
          required
        />
        <NumberField
          form={form}
          name="default_ttl_hours"
          label={accountText.ttl}
          min={1}
          required
        />
      </div>
      <ContentFields form={form} isAccount />
      <CheckField form={form} name="disable_failing_addresses" label={accountText.disableFailing} />
      <CheckField form={form} name="refuse_infected" label={accountText.refuseInfected} />
      <CheckField form={form} name="search_bodies" label={accountText.searchBodies} />
      <CheckField form={form} name="record_views" label={accountText.recordViews} />
      <SubmitButton form={form} label={accountText.save} />
    </form>
  );
}
