/** How Inlet authenticates to a receiver: a header, or HTTP Basic. Secrets are never shown again. */
import type { Receiver, ReceiverAuth } from '../../../core/api/api-types.generated.ts';
import { SelectField, TextField } from '../../parts/form-fields.tsx';
import type { Form } from '../../parts/use-form.ts';
import { receiverText } from '../../strings/receivers.ts';

const text = receiverText.auth;

export type AuthValues = {
  authKind: keyof typeof text.kinds;
  headerName: string;
  headerValue: string;
  username: string;
  password: string;
};

/** @param receiver undefined for a new one */
export const initialAuth = (receiver: Receiver | undefined): AuthValues => ({
  authKind: receiver?.auth ? 'keep' : 'none',
  headerName: '',
  headerValue: '',
  username: '',
  password: '',
});

/** Undefined when it stays as it is. */
export function authOf(values: AuthValues): ReceiverAuth | null | undefined {
  const { authKind, headerName, headerValue, username, password } = values;
  if (authKind === 'keep') return undefined;
  if (authKind === 'header') return { headers: { [headerName.trim()]: headerValue.trim() } };
  return authKind === 'basic' ? { basic: { username, password } } : null;
}

/** For example: `X-Api-Key, HTTP Basic as inlet`. */
export const authSummary = ({ headers, basic }: NonNullable<Receiver['auth']>): string =>
  [...headers, ...(basic ? [text.basicAs(basic.username)] : [])].join(', ');

type Props<Values> = { form: Form<Values>; receiver: Receiver | undefined };

export function AuthFields<Values extends AuthValues>({ form, receiver }: Props<Values>) {
  const present = receiver?.auth;
  const kinds = Object.entries(text.kinds).filter(([kind]) => kind !== 'keep' || present);
  const { authKind } = form.values;
  const secret = { type: 'password', autoComplete: 'new-password', required: true } as const;
  return (
    <>
      <SelectField
        form={form}
        name="authKind"
        label={text.label}
        {...(present && { hint: text.present(authSummary(present)) })}
        options={kinds}
      />
      {authKind === 'header' && (
        <>
          <TextField form={form} name="headerName" label={text.headerName} required />
          <TextField form={form} name="headerValue" label={text.headerValue} {...secret} />
        </>
      )}
      {authKind === 'basic' && (
        <>
          <TextField
            form={form}
            name="username"
            label={text.username}
            autoComplete="off"
            required
          />
          <TextField form={form} name="password" label={text.password} {...secret} />
        </>
      )}
    </>
  );
}
