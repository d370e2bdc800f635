/** Writes changes of the people of an account, and their events. Who may make them is decided before. */
import type { Members, NewMember } from '../../adapters/mongo/member/members.ts';
import { MEMBER, type Member, type MemberChange } from '../../core/member/member.ts';
import { TOKEN } from '../../core/token/token-record.ts';
import { changedFields, isEmpty } from '../../core/resource/changed-fields.ts';
import type { ManagedBy } from '../../core/resource/managed-by.ts';
import { resourceEvent, withoutNulls } from '../../core/resource/record.ts';
import { type Audit, auditUpdate, type Cause } from '../audit.ts';

/** Whether the last owner may go: see `Members`. */
type Unless = Parameters<Members['change']>[3];

type MemberChangeDependencies = {
  members: Pick<Members, 'insert' | 'findSubjects' | 'change' | 'remove' | 'putManaged'>;
  audit: Audit;
  /** Makes every process read its cached credentials again; otherwise each does within a second. */
  announce?: () => void;
};

const eventOf = (event: 'created' | 'updated' | 'deleted', member: Member) =>
  resourceEvent(MEMBER, event, withoutNulls(member));

export function createMemberChanges({
  members,
  audit,
  announce = () => undefined,
}: MemberChangeDependencies) {
  return {
    insert: async function insertMember(cause: Cause, requested: NewMember) {
      const member = await members.insert(requested, cause.now);
      if (typeof member !== 'string') await audit(cause, eventOf('created', member));
      return member;
    },

    /** Writes the fields that differ. */
    change: async function changeMember(
      cause: Cause,
      before: Member,
      requested: MemberChange,
      unless?: Unless,
    ) {
      const changed = changedFields(before, requested);
      if (isEmpty(changed)) return before;
      const member = await members.change(before.account_id, before.id, changed, unless);
      announce();
      if (typeof member !== 'string')
        await auditUpdate(audit, cause, eventOf('updated', member), changed);
      return member;
    },

    /** Also removes the tokens of the person. Sessions end with their next request. */
    remove: async function removeMember(cause: Cause, member: Member, unless?: Unless) {
      const removed = await members.remove(member.account_id, member.id, unless);
      announce();
      if (typeof removed === 'string') return removed;
      await audit(cause, eventOf('deleted', member));
      for (const token of removed.tokens)
        await audit(cause, resourceEvent(TOKEN, 'deleted', token));
      return removed;
    },

    /** @param owner resource that the member belongs to from then on */
    put: async function putMember(
      cause: Cause,
      wanted: Parameters<Members['putManaged']>[1],
      owner: ManagedBy,
    ) {
      const { account_id } = cause.caller;
      const [before] = await members.findSubjects(account_id, [wanted.subject]);
      const member = await members.putManaged(account_id, wanted, owner, cause.now);
      if (before === undefined) return audit(cause, eventOf('created', member));
      const { role, group } = member;
      const changed = changedFields(before, { role, group });
      return auditUpdate(audit, cause, eventOf('updated', member), changed);
    },
  };
}
