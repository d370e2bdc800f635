/** Invites a person: a name, a role, and the link that the API returns once. */
import type { Role, UpdateMemberRequest } from '../../../core/api/api-types.generated.ts';
import { call } from '../../client/api.ts';
import { SelectField, SubmitButton, TextField } from '../../parts/forms/form-fields.tsx';
import { useForm } from '../../parts/forms/use-form.ts';
import { peopleText } from '../../strings/people.ts';
import { rolesToGive } from './roles.tsx';

export type ShownLink = { name: string; url: string };

const FIRST = { name: '', role: 'viewer' as Role } satisfies Record<
  keyof UpdateMemberRequest,
  unknown
>;

export function Invite({ show }: { show: (link: ShownLink) => void }) {
  const form = useForm(FIRST, async ({ name, role }) => {
    const { url } = await call('POST /account/members', { body: { name: name.trim(), role } });
    show({ name: name.trim(), url });
  });
  return (
    <form class="form" onSubmit={form.onSubmit}>
      <div class="field-row">
        <TextField
          form={form}
          name="name"
          label={peopleText.name}
          required
          autoFocus
          placeholder={peopleText.namePlaceholder}
        />
        <SelectField form={form} name="role" label={peopleText.role} options={rolesToGive()} />
      </div>
      <p class="hint">{peopleText.mayDo[form.values.role]}</p>
      <p class="hint">{peopleText.inviteHint}</p>
      <SubmitButton form={form} label={peopleText.submit} />
    </form>
  );
}
