/** The plan catalogue of the installation (D13). */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';

import { PlanCatalogue, SHIPPED_PLANS } from '../../core/billing/billing.ts';

export const PlanConfig = {
  PLANS: z
    .string()
    .optional()
    .describe(
      'plan catalogue: JSON, or the path of a JSON file; the shipped plans free, pro and business, which have no ' +
        'prices, when unset',
    ),
};

/** @throws when the text is not a valid catalogue */
export async function readPlans({ PLANS }: { PLANS?: string | undefined }): Promise<PlanCatalogue> {
  if (PLANS === undefined) return SHIPPED_PLANS;
  try {
    return PlanCatalogue.parse(
      JSON.parse(PLANS.trimStart().startsWith('{') ? PLANS : await readFile(PLANS, 'utf8')),
    );
  } catch (cause) {
    throw new Error('read the plan catalogue that PLANS names', { cause });
  }
}
