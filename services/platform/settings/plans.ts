/** The plan catalogue of the installation (D13). */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';

import { NO_PLANS, PlanCatalogue } from '../../core/billing/billing.ts';

export const PlanConfig = {
  PLANS: z
    .string()
    .optional()
    .describe(
      'plan catalogue: JSON, or the path of a JSON file; when unset, no account has a limit or a price',
    ),
};

/** @throws when the text is not a valid catalogue */
export async function readPlans({ PLANS }: { PLANS?: string | undefined }): Promise<PlanCatalogue> {
  if (PLANS === undefined) return NO_PLANS;
  try {
    return PlanCatalogue.parse(
      JSON.parse(PLANS.trimStart().startsWith('{') ? PLANS : await readFile(PLANS, 'utf8')),
    );
  } catch (cause) {
    throw new Error('read the plan catalogue that PLANS names', { cause });
  }
}
