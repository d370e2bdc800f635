/** Settings of sign-ins to the dashboard through an OpenID provider (D36). */
import { z } from 'zod';

import { GroupRole, MEMBER_GROUPS_MAX } from '../../core/member/sign-in-role.ts';
import { Permission } from '../../core/token/permission.ts';
import type { SignInRules } from '../../core/member/single-sign-on.ts';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

const items = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** `example.com=acc_1,other.example=acc_2` */
const AccountsByValue = z
  .string()
  .transform((text) =>
    items(text).map((item) => item.split(/=(?=[^=]*$)/).map((part) => part.trim())),
  )
  .pipe(z.array(z.tuple([z.string().min(1), z.string().min(1)])))
  .transform((pairs) => new Map(pairs));

/** `platform-team=admin,everyone=viewer` */
const RolesByGroup = z
  .string()
  .transform((text) =>
    items(text).map((item) => {
      const [group, role] = item.split(/=(?=[^=]*$)/).map((part) => part.trim());
      return { group, role };
    }),
  )
  .pipe(z.array(GroupRole.extend({ group: z.string().min(1) })).max(MEMBER_GROUPS_MAX));

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
  OIDC_SCOPES: z
    .string()
    .default('openid email')
    .describe('scopes to request, separated by spaces, with openid'),
  OIDC_ACCOUNT_CLAIM: z
    .string()
    .default('inletAccount')
    .describe(
      'claim of the ID token that names the account; users must not be able to edit it themselves',
    ),
  OIDC_ACCOUNTS: AccountsByValue.optional().describe(
    'comma-separated account ids by value of OIDC_ACCOUNT_CLAIM, such as example.com=acc_01k9; ' +
      'without it, the value is the account id',
  ),
  OIDC_PERMISSIONS_CLAIM: z
    .string()
    .optional()
    .describe(
      'claim of the ID token with the permissions of the user, as a list of names; without it, ' +
        'every user has OIDC_PERMISSIONS',
    ),
  OIDC_PERMISSIONS: z
    .string()
    .prefault(Permission.options.filter(isReading).join(','))
    .transform(items)
    .pipe(z.array(Permission).min(1))
    .describe('comma-separated permissions of every user, unless OIDC_PERMISSIONS_CLAIM is set'),
  OIDC_ROLES: RolesByGroup.prefault('').describe(
    'comma-separated roles by group, such as platform-team=admin,everyone=viewer; with it, users ' +
      'are members of the account, and one without a role is refused',
  ),
  OIDC_GROUPS_CLAIM: z
    .string()
    .default('groups')
    .describe('claim of the ID token with the groups of the user, as a list of names'),
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

export const signInRules = (config: SingleSignOnConfig): SignInRules => ({
  accountClaim: config.OIDC_ACCOUNT_CLAIM,
  accounts: config.OIDC_ACCOUNTS,
  permissionsClaim: config.OIDC_PERMISSIONS_CLAIM,
  permissions: config.OIDC_PERMISSIONS,
  roles: config.OIDC_ROLES,
  groupsClaim: config.OIDC_GROUPS_CLAIM,
});
