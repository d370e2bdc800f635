/** The check of `inlet doctor` whether the plan of the account refuses email. */
import type { Api } from '../api/client.ts';
import { causesOf } from '../terminal/fault-text.ts';
import { failed, type Finding, ok, skipped, warning } from './finding.ts';

export async function checkPlan({ call }: Api): Promise<Finding> {
  try {
    const { quota } = await call('GET /usage', {});
    if (quota === null) return ok('plan', 'no limit');
    const { message, status, plan, emails_used, emails_included } = quota;
    const advice = 'ask the operator of this installation for another plan: inlet admin plan set';
    if (message !== null) return (status === 'refused' ? failed : warning)('plan', message, advice);
    return ok('plan', `${plan}: ${emails_used} of ${emails_included} emails are used`);
  } catch (error) {
    return skipped('plan', causesOf(error));
  }
}
