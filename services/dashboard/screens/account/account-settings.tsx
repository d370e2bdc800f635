/** What a user can change about the account: one entry for each field of the API. */
import { useState } from 'preact/hooks';

import { call } from '../../client/api.ts';
import type {
  Account,
  AccountSettings,
  UpdateAccountRequest,
} from '../../../core/api/api-types.generated.ts';
import { ContentFields, contentOf, contentValues } from '../addresses/content-fields.tsx';
import { SelectField, SubmitButton } from '../../parts/forms/form-fields.tsx';
import {
  checkField,
  fieldsOf,
  type FormField,
  formValues,
  requiredNumber,
  TableFields,
  textField,
} from '../../parts/forms/form-table.tsx';
import { toast } from '../../parts/toast.tsx';
import { type Form, useForm } from '../../parts/forms/use-form.ts';
import { accountText } from '../../strings/account.ts';

type Props = { account: Account; isReadOnly: boolean; show: (changed: Account) => void };

/** Rules and hook have screens of their own. */
type SettingName = Exclude<keyof AccountSettings, 'rules' | 'hook'>;
type Content = ReturnType<typeof contentValues>;

const FACTS = {
  name: textField('name', { label: accountText.name }, { required: true }),
  company: textField('company', { label: accountText.company }),
} satisfies {
  [Name in Exclude<keyof UpdateAccountRequest, 'settings'>]: FormField<Account[Name], Account>;
};

const SETTINGS = {
  timezone: { ...textField('timezone', { label: accountText.timezone }), Fields: TimezoneField },
  webhook_retry_attempts: requiredNumber(
    'webhook_retry_attempts',
    { label: accountText.retries },
    { min: 0, max: 6 },
  ),
  default_ttl_hours: requiredNumber('default_ttl_hours', { label: accountText.ttl }, { min: 1 }),
  retention_hours: {
    values: (_: unknown, { retention_hours = null, redact = [] }: Partial<AccountSettings>) =>
      contentValues({ retention_hours, redact }),
    read: (values: Content) => contentOf(values).retention_hours,
    Fields: ({ form }: { form: Form<Content> }) => <ContentFields form={form} isAccount />,
  },
  /** In one row with retention_hours. */
  redact: { values: () => ({}), read: (values: Content) => contentOf(values).redact ?? [] },
  disable_failing_addresses: checkField('disable_failing_addresses', accountText.disableFailing),
  refuse_infected: checkField('refuse_infected', accountText.refuseInfected),
  search_bodies: checkField('search_bodies', accountText.searchBodies),
  record_views: checkField('record_views', accountText.recordViews),
} satisfies { [Name in SettingName]: FormField<AccountSettings[Name], AccountSettings> };

export function AccountSettingsForm({ account, isReadOnly, show }: Props) {
  const form = useForm(
    { ...formValues(FACTS, account), ...formValues(SETTINGS, account.settings) },
    async (values) => {
      const body = { ...fieldsOf(FACTS, values), settings: fieldsOf(SETTINGS, values) };
      show(await call('PATCH /account', { body }));
      toast(accountText.saved);
    },
    isReadOnly,
  );
  return (
    <form class="card form" aria-labelledby="account-settings" onSubmit={form.onSubmit}>
      <h2 id="account-settings">{accountText.facts}</h2>
      <TableFields table={FACTS} form={form} />
      <TableFields table={SETTINGS} form={form} />
      <SubmitButton form={form} label={accountText.save} />
    </form>
  );
}

const TIMEZONES = Intl.supportedValuesOf('timeZone');

function TimezoneField({ form }: { form: Form<{ timezone: string }> }) {
  const [first] = useState(form.values.timezone);
  const zones = TIMEZONES.includes(first) ? TIMEZONES : [first, ...TIMEZONES];
  return (
    <SelectField
      form={form}
      name="timezone"
      label={accountText.timezone}
      hint={accountText.timezoneHint}
      options={zones.map((zone) => [zone, zone])}
    />
  );
}
