/**
 * Authentication to a receiver in an InboundReceiver resource: references to Secrets of its own
 * namespace, and what they hold. A Secret must carry a label: otherwise a user who may create receivers,
 * but may not read Secrets, could have any Secret sent to a server of their own (D53).
 */
import { RULE_TEXT } from '../../error/app-error.ts';
import { z } from 'zod';

import { firstIssueText, issueText } from '../../error/issue-text.ts';
import { OAuthClient } from '../../receiver/oauth-client.ts';
import { ReceiverAuth } from '../../receiver/receiver-auth.ts';
import { tokenUrlFault } from '../../receiver/token-url.ts';
import { rules, SecretName, WebhookUrl } from './spec-fields.ts';

/** The label, with the value `true`, of a Secret that may be sent to receivers. */
export const RECEIVER_AUTH_LABEL = 'inlet.email/receiver-auth';

const secretRef = (content: string) =>
  z
    .object({ name: SecretName.describe('name of the Secret') })
    .describe(`${content}; its label ${RECEIVER_AUTH_LABEL} must be "true"`);

export const ReceiverAuthSpec = z
  .object({
    headersSecretRef: secretRef('a Secret whose keys are names of headers').optional(),
    basicSecretRef: secretRef(
      'a Secret with username and password, as kubernetes.io/basic-auth',
    ).optional(),
    oauth2: z
      .object({
        tokenUrl: WebhookUrl.describe('HTTPS URL of the token endpoint'),
        secretRef: secretRef('a Secret with client_id and client_secret'),
        scope: OAuthClient.shape.scope,
        audience: OAuthClient.shape.audience,
        clientAuth: OAuthClient.shape.client_auth,
      })
      .optional()
      .describe('OAuth 2.0 client credentials'),
    tlsSecretRef: secretRef('a Secret with tls.crt and tls.key, as kubernetes.io/tls').optional(),
  })
  .meta(
    rules({
      rule: '!(has(self.basicSecretRef) && has(self.oauth2))',
      message: 'basicSecretRef and oauth2 exclude each other',
    }),
  );
export type ReceiverAuthSpec = z.infer<typeof ReceiverAuthSpec>;

/** The content of a Secret, as text, and its labels. */
export type ReferencedSecret = {
  labels: Readonly<Record<string, string>>;
  content: Readonly<Record<string, string>>;
};

/** What the Secrets hold, or why they cannot be used. */
export type ReferencedAuth = { auth: ReceiverAuth | null } | { refusal: string };

/** Names of all Secrets that it refers to. */
export const referencedSecrets = (spec: ReceiverAuthSpec | undefined): string[] =>
  [
    spec?.headersSecretRef,
    spec?.basicSecretRef,
    spec?.oauth2?.secretRef,
    spec?.tlsSecretRef,
  ].flatMap((ref) => (ref ? [ref.name] : []));

/** @param secrets by name; without those that do not exist */
export function referencedAuth(
  spec: ReceiverAuthSpec | undefined,
  secrets: ReadonlyMap<string, ReferencedSecret>,
  allowedNetworks: readonly string[],
): ReferencedAuth {
  if (spec === undefined) return { auth: null };
  for (const name of referencedSecrets(spec)) {
    const secret = secrets.get(name);
    if (secret === undefined) return { refusal: `the Secret ${name} does not exist` };
    if (secret.labels[RECEIVER_AUTH_LABEL] !== 'true')
      return {
        refusal: `the Secret ${name} does not have the label ${RECEIVER_AUTH_LABEL}: "true"`,
      };
  }
  const contentOf = (ref: { name: string } | undefined) => ref && secrets.get(ref.name)?.content;
  const { headersSecretRef, basicSecretRef, oauth2, tlsSecretRef } = spec;
  const [basic, client, pair] = [basicSecretRef, oauth2?.secretRef, tlsSecretRef].map(contentOf);
  const parsed = ReceiverAuth.safeParse(
    {
      headers: contentOf(headersSecretRef),
      basic: basic && { username: basic.username, password: basic.password },
      oauth2: oauth2 && {
        token_url: oauth2.tokenUrl,
        client_id: client?.client_id,
        client_secret: client?.client_secret,
        scope: oauth2.scope,
        audience: oauth2.audience,
        client_auth: oauth2.clientAuth,
      },
      client_certificate: pair && { certificate: pair['tls.crt'], private_key: pair['tls.key'] },
    },
    { error: issueText },
  );
  if (!parsed.success) return { refusal: firstIssueText(parsed.error, 'auth') };
  const fault = tokenUrlFault(parsed.data, allowedNetworks);
  return fault ? { refusal: `auth.oauth2.tokenUrl ${RULE_TEXT[fault]}` } : { auth: parsed.data };
}
