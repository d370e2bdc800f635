/** Changes that nobody made, to the contract of this checkout. */
import { breaksOf, type Contract } from './contract.ts';
import { currentContract } from './current.ts';

export const current = await currentContract();

// oxlint-disable-next-line typescript/no-explicit-any -- a change reaches into any document
export type Loose = any;
export type Change = (contract: Loose) => void;
/** What such a change breaks. */
export const brokenBy = (change: Change, before: Contract = current): string[] => {
  const after = structuredClone(before);
  change(after);
  return breaksOf({ before, after }).map(({ subject, what }) => `${subject}: ${what}`);
};
/** The named schemas of the API. */
export const schemas = (contract: Loose): Loose => contract.openapi.components.schemas;
