/** The table of roles of docs/people.md. */
import { PERMISSIONS } from '../core/token/permission.ts';
import { type Role, ROLE_PERMISSIONS, ROLES } from '../core/member/role.ts';

const FOR_WHOM: Record<Role, string> = {
  owner: 'everything',
  admin: 'everything but invoices, so also no owners',
  developer: 'addresses, domains, deliveries, and their secrets; their own tokens',
  viewer: 'reads; sees no secrets, tokens or people',
  billing: 'usage, costs and invoices; no email',
};

export function rolesTable(): string {
  const rows = PERMISSIONS.map((permission) => {
    const cells = ROLES.map((role) => (ROLE_PERMISSIONS[role].includes(permission) ? '✓' : ''));
    return `| \`${permission}\` | ${cells.join(' | ')} |`;
  });
  return [
    '| role | for |',
    '| --- | --- |',
    ...ROLES.map((role) => `| \`${role}\` | ${FOR_WHOM[role]} |`),
    '',
    `| permission | ${ROLES.join(' | ')} |`,
    `| --- | ${ROLES.map(() => '---').join(' | ')} |`,
    ...rows,
  ].join('\n');
}
