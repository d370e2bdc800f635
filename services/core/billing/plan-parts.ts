/**
 * The parts of a billing period by plan (D37). A plan change applies from its quarter hour, the
 * resolution of the counters. Each part has its share of the base cost and of the included emails.
 */
import { type Plan, type PlanCatalogue, planOf, type Subscription } from './billing.ts';
import { type Period, quarterOf } from './period.ts';

export type PlanPart = {
  plan: string;
  period: Period;
  /** Prorated by time: the cost in whole minor units, the included emails rounded up. */
  terms: Plan;
};

/** In order of time, without gaps. A period without a plan change has one part. */
export function planParts(
  { plan: current, former_plans = [] }: Subscription,
  period: Period,
  plans: PlanCatalogue,
): PlanPart[] {
  const changes = [
    ...former_plans
      .map(({ plan, until }) => ({ plan, until: quarterOf(until) }))
      .toSorted((a, b) => a.until.getTime() - b.until.getTime()),
    { plan: current, until: period.end },
  ];
  const parts: PlanPart[] = [];
  let start = period.start;
  for (const { plan, until } of changes) {
    const end = until < period.end ? until : period.end;
    if (end <= start) continue;
    const last = parts.at(-1);
    const terms = planOf({ plan }, plans);
    if (last?.terms === terms) {
      last.plan = plan; // another one only when neither is in the catalogue
      last.period = { start: last.period.start, end };
    } else parts.push({ plan, period: { start, end }, terms });
    start = end;
  }
  return parts.map((part) => ({
    ...part,
    terms: prorated(part.terms, lengthOf(part.period) / lengthOf(period)),
  }));
}

const lengthOf = ({ start, end }: Period): number => end.getTime() - start.getTime();

const prorated = (plan: Plan, share: number): Plan => ({
  ...plan,
  base_cost: Math.round(plan.base_cost * share),
  emails_included: Math.ceil(plan.emails_included * share),
});
