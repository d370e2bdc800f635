/**
 * How Inlet authenticates to a receiver: a header, HTTP Basic, OAuth 2.0, or a client certificate.
 * Secrets are never shown again.
 */
import type { Receiver, ReceiverAuth } from '../../../core/api/api-types.generated.ts';
import { SelectField, TextAreaField, TextField } from '../../parts/forms/form-fields.tsx';
import type { FieldPaths } from '../../parts/forms/field-path.ts';
import type { Form } from '../../parts/forms/use-form.ts';
import { receiverText } from '../../strings/receivers.ts';

const text = receiverText.auth;

export type AuthValues = {
  authKind: keyof typeof text.kinds;
  headerName: string;
  headerValue: string;
  username: string;
  password: string;
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  scope: string;
  certificate: string;
  privateKey: string;
};

/** @param auth undefined for a new receiver */
export const initialAuth = (auth: Receiver['auth'] | undefined): AuthValues => ({
  authKind: auth ? 'keep' : 'none',
  headerName: '',
  headerValue: '',
  username: '',
  password: '',
  tokenUrl: '',
  clientId: '',
  clientSecret: '',
  scope: '',
  certificate: '',
  privateKey: '',
});

/** Where the API has them. */
export const AUTH_PATHS: FieldPaths<AuthValues> = {
  authKind: 'auth',
  headerName: 'auth.headers',
  tokenUrl: 'oauth2.token_url',
  clientId: 'oauth2.client_id',
  clientSecret: 'oauth2.client_secret',
  privateKey: 'client_certificate.private_key',
};

/** Undefined when it stays as it is. */
export function authOf(values: AuthValues): ReceiverAuth | null | undefined {
  const { authKind, headerName, headerValue, username, password, scope } = values;
  if (authKind === 'keep') return undefined;
  if (authKind === 'header') return { headers: { [headerName.trim()]: headerValue.trim() } };
  if (authKind === 'basic') return { basic: { username, password } };
  if (authKind === 'oauth2')
    return {
      oauth2: {
        token_url: values.tokenUrl.trim(),
        client_id: values.clientId.trim(),
        client_secret: values.clientSecret,
        ...(scope.trim() !== '' && { scope: scope.trim() }),
      },
    };
  return authKind === 'certificate'
    ? { client_certificate: { certificate: values.certificate, private_key: values.privateKey } }
    : null;
}

/** For example: `X-Api-Key, HTTP Basic as inlet`. */
export const authSummary = ({
  headers,
  basic,
  oauth2,
  client_certificate: certificate,
}: NonNullable<Receiver['auth']>): string =>
  [
    ...headers,
    ...(basic ? [text.basicAs(basic.username)] : []),
    ...(oauth2 ? [text.oauthAs(oauth2.client_id)] : []),
    ...(certificate
      ? [text.certificateOf(certificate.subject, certificate.expires_at.slice(0, 10))]
      : []),
  ].join(', ');

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
      {authKind === 'oauth2' && (
        <>
          <TextField form={form} name="tokenUrl" label={text.tokenUrl} type="url" required />
          <TextField
            form={form}
            name="clientId"
            label={text.clientId}
            autoComplete="off"
            required
          />
          <TextField form={form} name="clientSecret" label={text.clientSecret} {...secret} />
          <TextField form={form} name="scope" label={text.scope} hint={text.scopeHint} />
        </>
      )}
      {authKind === 'certificate' && (
        <>
          <TextAreaField
            form={form}
            name="certificate"
            label={text.certificate}
            hint={text.certificateHint}
            rows={4}
            spellcheck={false}
          />
          <TextAreaField
            form={form}
            name="privateKey"
            label={text.privateKey}
            rows={4}
            spellcheck={false}
          />
        </>
      )}
    </>
  );
}
