/** The next step for an Account resource: facts in, one step out, until it is settled. */
import {
  type Account,
  type AccountChange,
  AccountSettings,
  isTimeZone,
  SETTINGS,
} from '../account/account.ts';
import { mayHavePlan, type PlanCatalogue } from '../billing/billing.ts';
import { type Quota, quotaSentence, quotaStatus } from '../billing/quota.ts';
import { changedFields, isEmpty, isEqual } from '../resource/changed-fields.ts';
import { firstIssueText, issueText } from '../error/issue-text.ts';
import { notReady, ready, type Verdict } from './condition.ts';
import type { AccountSpec } from './spec/account-spec.ts';
import { rulesFault } from '../rule/rules-fault.ts';
import { hookOf } from './wanted-webhook.ts';
import type { Member } from '../member/member.ts';
import type { Role } from '../member/role.ts';
import type { GroupRole } from '../member/sign-in-role.ts';
import { fromSpec } from '../resource/spec.ts';

type AccountFacts = {
  spec: AccountSpec;
  record: Account | undefined;
  /** The members that the resource owns. */
  members: readonly Pick<Member, 'id' | 'subject' | 'role'>[];
  plans: PlanCatalogue;
  /** Undefined when nothing limits the account. */
  quota: Quota | undefined;
  allowedNetworks: readonly string[];
};

export type AccountStep =
  | { kind: 'settled'; verdict: Verdict }
  | {
      kind: 'create';
      fields: {
        email: string;
        name: string;
        company: string;
        settings: AccountSettings;
        plan?: string;
      };
    }
  | { kind: 'change'; change: AccountChange }
  | { kind: 'members'; put: { subject: string; role: Role }[]; dismissed: string[] }
  | { kind: 'plan'; plan: string }
  | { kind: 'suspend' }
  | { kind: 'resume' };

const settled = (verdict: Verdict): AccountStep => ({ kind: 'settled', verdict });

export function accountStep({
  spec,
  record,
  members,
  plans,
  quota,
  allowedNetworks,
}: AccountFacts): AccountStep {
  const hook = hookOf(spec.settings?.hook, allowedNetworks);
  if ('fault' in hook) return settled(hook.fault);
  const settings = AccountSettings.safeParse(
    { ...fromSpec(SETTINGS, spec.settings ?? {}), ...hook },
    { error: issueText },
  );
  if (!settings.success)
    return settled(notReady('InvalidSpec', firstIssueText(settings.error, 'settings')));
  if (!isTimeZone(settings.data.timezone))
    return settled(
      notReady(
        'InvalidTimezone',
        `${settings.data.timezone} is not a time zone of the IANA database`,
      ),
    );
  const fault = rulesFault(settings.data.rules);
  if (fault)
    return settled(notReady('InvalidRules', `settings.rules.${fault.place}: ${fault.message}`));
  if (spec.plan !== undefined && !mayHavePlan(plans, spec.plan))
    return settled(
      notReady('UnknownPlan', `plan must be one of ${Object.keys(plans.plans).join(', ')}`),
    );

  const wanted = { email: spec.email, name: spec.name, company: spec.company ?? '' };
  if (record === undefined)
    return {
      kind: 'create',
      fields: {
        ...wanted,
        settings: settings.data,
        ...(spec.plan !== undefined && { plan: spec.plan }),
      },
    };

  const fields = changedFields(record, wanted);
  const changed = changedFields(record.settings, settings.data);
  const groups = groupsOf(spec);
  const groupsChange = !isEqual(record.member_groups ?? [], groups);
  if (!isEmpty(fields) || !isEmpty(changed) || groupsChange)
    return {
      kind: 'change',
      change: {
        ...fields,
        ...(groupsChange && { member_groups: groups }),
        settings: changed,
      },
    };
  const people = memberStep(spec, members);
  if (people) return people;

  if (spec.plan !== undefined && record.plan !== spec.plan)
    return { kind: 'plan', plan: spec.plan };
  if (spec.suspended === true && record.suspended_at === null) return { kind: 'suspend' };
  if (spec.suspended === false && record.suspended_at !== null) return { kind: 'resume' };
  return settled(
    record.suspended_at === null
      ? quotaVerdict(quota)
      : ready('Suspended', 'the API refuses requests, and mail gets a temporary error'),
  );
}

/** `Ready` although email is refused, as for a receiver that fails: the resource is as its spec asks. */
function quotaVerdict(quota: Quota | undefined): Verdict {
  const status = quota ? quotaStatus(quota) : 'open';
  return quota === undefined || status === 'open'
    ? ready('Ready', 'the account is active')
    : ready(status === 'refused' ? 'QuotaSpent' : 'QuotaNear', quotaSentence(quota));
}

const groupsOf = ({ members = [] }: AccountSpec): GroupRole[] =>
  members.flatMap(({ group, role }) => (group === undefined ? [] : [{ group, role }]));

/** People to add, change or remove; of one who is listed twice the last entry counts. */
function memberStep(
  { members: listed = [] }: AccountSpec,
  members: AccountFacts['members'],
): AccountStep | undefined {
  const wanted = new Map(
    listed.flatMap(({ subject, role }) =>
      subject === undefined ? [] : [[subject, role] as const],
    ),
  );
  const dismissed = members
    .filter(({ subject }) => subject === null || !wanted.has(subject))
    .map(({ id }) => id);
  const put = [...wanted]
    .map(([subject, role]) => ({ subject, role }))
    .filter(({ subject, role }) => members.find((one) => one.subject === subject)?.role !== role);
  return put.length + dismissed.length > 0 ? { kind: 'members', put, dismissed } : undefined;
}
