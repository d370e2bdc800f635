/** What each role may do, and which roles this session can give. */
import type { Permission, Role } from '../../../core/api/api-types.generated.ts';
import { may } from '../../session/session.ts';
import { peopleText } from '../../strings/people.ts';

const ROLES = Object.keys(peopleText.roles) as Role[];

/** Who has the permission has all of the role, except in a narrower session: then the API says so. */
const GIVEN_WITH: Record<Role, Permission> = {
  owner: 'billing:read',
  admin: 'account:write',
  developer: 'addresses:write',
  viewer: 'addresses:read',
  billing: 'billing:read',
};

export const mayGive = (role: Role): boolean => may('tokens:write') && may(GIVEN_WITH[role]);

export const rolesToGive = (): [Role, string][] =>
  ROLES.filter(mayGive).map((role) => [role, peopleText.roles[role]]);

export const RolesExplained = () => (
  <section class="card below-list" aria-labelledby="roles">
    <h2 id="roles">{peopleText.rolesTitle}</h2>
    <dl class="pairs explained">
      {ROLES.map((role) => (
        <div key={role}>
          <dt>{peopleText.roles[role]}</dt>
          <dd>{peopleText.mayDo[role]}</dd>
        </div>
      ))}
    </dl>
    <p class="hint">{peopleText.ownTokens}</p>
  </section>
);
