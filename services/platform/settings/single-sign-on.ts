/** Settings of sign-ins to the dashboard through an OpenID provider (D36). */
import { z } from 'zod';

import { Json } from '../../adapters/process/config.ts';
import { GroupRole, MEMBER_GROUPS_MAX } from '../../core/member/sign-in-role.ts';
import { Permission } from '../../core/token/permission.ts';
import type { SignInRules } from '../../core/member/single-sign-on.ts';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** How claims of an ID token become an account and permissions. */
const Rules = z.strictObject({
  scopes: z.string().min(1).default('openid email'),
  account_claim: z.string().min(1).default('inletAccount'),
  accounts: z.record(z.string().min(1), z.string().min(1)).optional(),
  permissions_claim: z.string().min(1).optional(),
  permissions: z.array(Permission).min(1).default(Permission.options.filter(isReading)),
  roles: z
    .record(z.string().min(1), GroupRole.shape.role)
    .refine((roles) => Object.keys(roles).length <= MEMBER_GROUPS_MAX, {
      message: `must have at most ${MEMBER_GROUPS_MAX} groups`,
    })
    .default({}),
  groups_claim: z.string().min(1).default('groups'),
});

export const SingleSignOnConfig = {
  OIDC_ISSUER: z
    .url({ protocol: /^https?$/ })
    .refine((url) => {
      const { protocol, hostname } = new URL(url);
      return protocol === 'https:' || LOOPBACK.has(hostname);
    }, 'must be an https URL')
    .optional()
    .describe(
      'issuer URL of an OpenID provider, such as https://login.example.com/realms/main; with it, ' +
        'the dashboard offers to sign in there',
    ),
  OIDC_CLIENT_ID: z.string().optional().describe('id of Inlet at the OpenID provider'),
  OIDC_CLIENT_SECRET: z
    .string()
    .optional()
    .describe('secret of OIDC_CLIENT_ID; without it, Inlet is a public client'),
  OIDC_CA_FILE: z
    .string()
    .optional()
    .describe(
      'PEM file with a private authority that signed the certificate of OIDC_ISSUER; public ones ' +
        'stay trusted',
    ),
  OIDC_RULES: Json(Rules, 'single-sign-on.md')
    .prefault('{}')
    .describe(
      'JSON that says which account and which permissions a user gets, by claims of the ID token: see ' +
        'docs/single-sign-on.md',
    ),
};
/** Without the webhook secrets, with which a user could sign. */
function isReading(name: Permission): boolean {
  return name.endsWith(':read') && name !== 'secrets:read';
}

export type SingleSignOnConfig = z.output<z.ZodObject<typeof SingleSignOnConfig>>;

export const singleSignOnIsWhole = ({ OIDC_ISSUER, OIDC_CLIENT_ID }: SingleSignOnConfig): boolean =>
  (OIDC_ISSUER === undefined) === (OIDC_CLIENT_ID === undefined);

/** The fault when it is not. */
export const SINGLE_SIGN_ON_TOGETHER = {
  path: ['OIDC_CLIENT_ID'],
  message: 'must be set together with OIDC_ISSUER, or neither',
};

export const signInRules = ({ OIDC_RULES: rules }: SingleSignOnConfig): SignInRules => ({
  accountClaim: rules.account_claim,
  accounts: rules.accounts && new Map(Object.entries(rules.accounts)),
  permissionsClaim: rules.permissions_claim,
  permissions: rules.permissions,
  roles: Object.entries(rules.roles).map(([group, role]) => ({ group, role })),
  groupsClaim: rules.groups_claim,
});
