/** Creates a token with some of the permissions of the session. */
import { useState } from 'preact/hooks';

import { call } from '../../client/api.ts';
import type {
  CreatedToken,
  Environment,
  Permission,
} from '../../../core/api/api-types.generated.ts';
import { useShortcut } from '../../browser/keyboard.ts';
import { may, session } from '../../session/session.ts';
import { Field } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useForm } from '../../parts/use-form.ts';
import { tokenText } from '../../strings/tokens.ts';

export const PERMISSIONS = Object.keys(tokenText.permission) as Permission[];

export function TokenCreate({ show }: { show: (created: CreatedToken) => void }) {
  const [isOpen, setIsOpen] = useState(false);
  useShortcut('c', tokenText.create, () => setIsOpen(true));
  if (isOpen)
    return (
      <CreateForm
        show={(created) => {
          setIsOpen(false);
          show(created);
        }}
      />
    );
  return (
    <p class="above-list">
      <button type="button" class="primary" onClick={() => setIsOpen(true)}>
        <Icon name="plus" /> {tokenText.create}
      </button>
    </p>
  );
}

function CreateForm({ show }: { show: (created: CreatedToken) => void }) {
  const own = session.value?.environment ?? 'live';
  const [name, setName] = useState('');
  const [environment, setEnvironment] = useState<Environment>(own);
  const [chosen, setChosen] = useState<ReadonlySet<Permission>>(new Set(PERMISSIONS.filter(may)));
  const { errorOf, isBusy, onSubmit } = useForm(['name', 'permissions'], async () => {
    const permissions = PERMISSIONS.filter((permission) => chosen.has(permission));
    show(
      await call('POST /account/tokens', { body: { name: name.trim(), environment, permissions } }),
    );
  });
  const toggle = (permission: Permission) => {
    const next = new Set(chosen);
    if (!next.delete(permission)) next.add(permission);
    setChosen(next);
  };
  return (
    <form class="card form above-list" onSubmit={onSubmit}>
      <div class="field-row">
        <Field label={tokenText.name} error={errorOf('name')}>
          <input
            name="name"
            required
            autoFocus
            placeholder={tokenText.namePlaceholder}
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </Field>
        {own === 'live' && (
          <Field label={tokenText.environment}>
            <select
              name="environment"
              value={environment}
              onChange={({ currentTarget }) => setEnvironment(currentTarget.value as Environment)}
            >
              <option value="live">{tokenText.environments.live}</option>
              <option value="test">{tokenText.environments.test}</option>
            </select>
          </Field>
        )}
      </div>
      <fieldset>
        <legend>{tokenText.permissions}</legend>
        <p class="hint">{tokenText.permissionsHint}</p>
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
        {errorOf('permissions') && <p class="field-error">{errorOf('permissions')}</p>}
      </fieldset>
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy || chosen.size === 0}>
          {tokenText.submit}
        </button>
      </div>
    </form>
  );
}
