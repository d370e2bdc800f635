/** What a user can change about the account. */
import { useState } from 'preact/hooks';

import { call } from '../../client/api.ts';
import type { Account } from '../../../core/api/api-types.generated.ts';
import { ContentFields } from '../addresses/content-fields.tsx';
import { Field } from '../../parts/field.tsx';
import { toast } from '../../parts/toast.tsx';
import { useForm } from '../../parts/use-form.ts';
import { accountText } from '../../strings/account.ts';

type Props = { account: Account; isReadOnly: boolean; show: (changed: Account) => void };

const FIELDS = ['name', 'company', 'settings.retention_hours', 'settings.redact'];
const TIMEZONES = Intl.supportedValuesOf('timeZone');

export function AccountSettingsForm({ account, isReadOnly, show }: Props) {
  const [name, setName] = useState(account.name);
  const [company, setCompany] = useState(account.company ?? '');
  const [settings, setSettings] = useState(account.settings);
  const { errorOf, isBusy, onSubmit } = useForm(FIELDS, async () => {
    show(
      await call('PATCH /account', {
        body: { name: name.trim(), company: company.trim(), settings },
      }),
    );
    toast(accountText.saved);
  });
  const zones = TIMEZONES.includes(settings.timezone)
    ? TIMEZONES
    : [settings.timezone, ...TIMEZONES];
  return (
    <form class="card form" aria-labelledby="account-settings" onSubmit={onSubmit}>
      <h2 id="account-settings">{accountText.facts}</h2>
      <Field label={accountText.name} error={errorOf('name')}>
        <input
          name="name"
          required
          readOnly={isReadOnly}
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </Field>
      <Field label={accountText.company} error={errorOf('company')}>
        <input
          name="company"
          readOnly={isReadOnly}
          value={company}
          onInput={({ currentTarget }) => setCompany(currentTarget.value)}
        />
      </Field>
      <Field label={accountText.timezone} hint={accountText.timezoneHint}>
        <select
          name="timezone"
          disabled={isReadOnly}
          value={settings.timezone}
          onChange={({ currentTarget }) =>
            setSettings({ ...settings, timezone: currentTarget.value })
          }
        >
          {zones.map((zone) => (
            <option key={zone} value={zone}>
              {zone}
            </option>
          ))}
        </select>
      </Field>
      <div class="field-row">
        <Field label={accountText.retries}>
          <input
            type="number"
            name="webhook_retry_attempts"
            min={0}
            max={6}
            required
            readOnly={isReadOnly}
            value={settings.webhook_retry_attempts}
            onInput={({ currentTarget }) =>
              setSettings({ ...settings, webhook_retry_attempts: Number(currentTarget.value) })
            }
          />
        </Field>
        <Field label={accountText.ttl}>
          <input
            type="number"
            name="default_ttl_hours"
            min={1}
            required
            readOnly={isReadOnly}
            value={settings.default_ttl_hours}
            onInput={({ currentTarget }) =>
              setSettings({ ...settings, default_ttl_hours: Number(currentTarget.value) })
            }
          />
        </Field>
      </div>
      <ContentFields
        content={settings}
        change={({ retention_hours, redact }) =>
          setSettings({ ...settings, retention_hours, redact: redact ?? [] })
        }
        errorOf={(field) => errorOf(`settings.${field}`)}
        isReadOnly={isReadOnly}
        isAccount
      />
      <label class="check">
        <input
          type="checkbox"
          name="disable_failing_addresses"
          disabled={isReadOnly}
          checked={settings.disable_failing_addresses}
          onChange={({ currentTarget }) =>
            setSettings({ ...settings, disable_failing_addresses: currentTarget.checked })
          }
        />
        {accountText.disableFailing}
      </label>
      {!isReadOnly && (
        <div class="buttons">
          <button type="submit" class="primary" disabled={isBusy}>
            {accountText.save}
          </button>
        </div>
      )}
    </form>
  );
}
