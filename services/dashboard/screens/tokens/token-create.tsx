/** Creates a token with some of the permissions of the session. */
import { call } from '../../client/api.ts';
import type {
  CreatedToken,
  CreateTokenRequest,
  Permission,
} from '../../../core/api/api-types.generated.ts';
import { may, session } from '../../session/session.ts';
import { SelectField, TextField } from '../../parts/forms/form-fields.tsx';
import { useForm } from '../../parts/forms/use-form.ts';
import { LimitFields, limitFields, NO_LIMIT } from './token-limit.tsx';
import { tokenText } from '../../strings/tokens.ts';

export const PERMISSIONS = Object.keys(
  tokenText.permission,
) as (keyof typeof tokenText.permission)[];

/** What a program usually needs: the rest is a choice. */
const FIRST: readonly Permission[] = ['addresses:read', 'deliveries:read'];
const READS = PERMISSIONS.filter((one) => one.endsWith(':read') && one !== 'secrets:read');
const DAY_MS = 86_400_000;

const initialFor = (environment: 'live' | 'test') =>
  ({
    name: '',
    environment,
    permissions: FIRST.filter(may),
    /** In days. */
    expires_at: '90',
    ...NO_LIMIT,
  }) satisfies Record<keyof CreateTokenRequest, unknown>;

const inDays = (days: number): string =>
  `${new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 19)}Z`;

export function TokenCreate({ show }: { show: (created: CreatedToken) => void }) {
  const own = session.value?.environment ?? 'live';
  const form = useForm(
    initialFor(own),
    async ({ name, environment, permissions, expires_at: days, ...limit }) => {
      const expires_at = days === 'never' ? undefined : inDays(Number(days));
      const body = { name: name.trim(), environment, permissions, expires_at };
      show(await call('POST /account/tokens', { body: { ...body, ...limitFields(limit) } }));
    },
  );
  const choose = (permissions: Permission[]) => form.set('permissions', permissions);
  const chosen = new Set(form.values.permissions);
  const toggle = (permission: Permission) => {
    if (!chosen.delete(permission)) chosen.add(permission);
    choose(PERMISSIONS.filter((one) => chosen.has(one)));
  };
  return (
    <form class="form" onSubmit={form.onSubmit}>
      <div class="field-row">
        <TextField
          form={form}
          name="name"
          label={tokenText.name}
          required
          autoFocus
          placeholder={tokenText.namePlaceholder}
        />
        {own === 'live' && (
          <SelectField
            form={form}
            name="environment"
            label={tokenText.environment}
            options={[
              ['live', tokenText.environments.live],
              ['test', tokenText.environments.test],
            ]}
          />
        )}
        <SelectField
          form={form}
          name="expires_at"
          label={tokenText.expires}
          options={Object.entries(tokenText.lifetimes)}
        />
      </div>
      <LimitFields form={form} />
      <fieldset>
        <legend>{tokenText.permissions}</legend>
        <p class="hint">{tokenText.permissionsHint}</p>
        <div class="buttons">
          <button type="button" onClick={() => choose(PERMISSIONS.filter(may))}>
            {tokenText.all}
          </button>
          <button type="button" onClick={() => choose(READS.filter(may))}>
            {tokenText.reads}
          </button>
          <button type="button" onClick={() => choose([])}>
            {tokenText.none}
          </button>
        </div>
        <div class="check-grid">
          {PERMISSIONS.map((permission) => (
            <label key={permission} class="check">
              <input
                type="checkbox"
                name={permission}
                checked={chosen.has(permission)}
                disabled={!may(permission)}
                onChange={() => toggle(permission)}
              />
              {tokenText.permission[permission]}
            </label>
          ))}
        </div>
        {form.errorOf('permissions') && <p class="field-error">{form.errorOf('permissions')}</p>}
      </fieldset>
      <div class="buttons">
        <button type="submit" class="primary" disabled={form.isBusy || chosen.size === 0}>
          {tokenText.submit}
        </button>
      </div>
    </form>
  );
}
