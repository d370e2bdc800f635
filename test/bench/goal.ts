/** Whether a measured figure reaches its goal. */

export type Goal = { atLeast: number } | { atMost: number };

/** Empty without a goal, and when nothing was measured. */
export function verdictOn(value: number, goal: Goal | undefined): string {
  if (goal === undefined || Number.isNaN(value)) return '';
  const isAtLeast = 'atLeast' in goal;
  const isReached = isAtLeast ? value >= goal.atLeast : value <= goal.atMost;
  const bound = isAtLeast ? `at least ${goal.atLeast}` : `at most ${goal.atMost}`;
  return `${bound}: ${isReached ? 'reached' : 'missed'}`;
}
