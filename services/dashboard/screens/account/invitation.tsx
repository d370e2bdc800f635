/** Creates a link that signs a colleague in, with all permissions of this session or to read only. */
import { useState } from 'preact/hooks';

import { call } from '../../client/api.ts';
import type { DashboardLink } from '../../../core/api/api-types.generated.ts';
import { session } from '../../session/session.ts';
import { Copyable } from '../../parts/copy.tsx';
import { Field } from '../../parts/field.tsx';
import { Link } from '../../parts/link.tsx';
import { Time } from '../../parts/time.tsx';
import { reporting } from '../../parts/toast.tsx';
import { accountText } from '../../strings/account.ts';
import { screenTitles } from '../../strings/screens.ts';

export function Invitation() {
  const [isReadOnly, setIsReadOnly] = useState(true);
  const [link, setLink] = useState<DashboardLink | undefined>();
  const create = async () => {
    const permissions = (session.value?.permissions ?? []).filter(
      (permission) => !isReadOnly || permission.endsWith(':read'),
    );
    await reporting(async () =>
      setLink(await call('POST /account/dashboard-links', { body: { permissions } })),
    );
  };
  return (
    <section class="card form" aria-labelledby="invitation">
      <h2 id="invitation">{accountText.invite}</h2>
      <p class="hint">
        {accountText.inviteHint} <Link to="/people">{screenTitles.people}</Link>.
      </p>
      <Field label={accountText.inviteAccess}>
        <select
          name="access"
          value={isReadOnly ? 'read' : 'all'}
          onChange={({ currentTarget }) => setIsReadOnly(currentTarget.value === 'read')}
        >
          <option value="read">{accountText.inviteReadOnly}</option>
          <option value="all">{accountText.inviteAll}</option>
        </select>
      </Field>
      {link && (
        <div role="status">
          <Copyable text={link.url} what={accountText.link} />
          <p class="hint">
            {accountText.linkExpires} <Time at={link.expires_at} as="relative" />
          </p>
        </div>
      )}
      <div class="buttons">
        <button type="button" onClick={() => void create()}>
          {accountText.createLink}
        </button>
      </div>
    </section>
  );
}
