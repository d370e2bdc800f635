/** Which addresses an API token reaches: all of its account, or those that its limit names (D69). */
import { z } from 'zod';

import { Labels, labelsView, storedLabels } from '../address/labels.ts';
import { EXAMPLE } from '../resource/api-reference.ts';
import { AppError } from '../error/app-error.ts';
import type { Fields } from '../resource/field.ts';

const LIMIT_ADDRESSES_MAX = 100;
/** Addresses that the labels of a token may match. */
export const LABELLED_MAX = 1_000;

/** As records have it; labels as `key=value`. An address has all labels of the token. */
export const TokenLimit = z.union([
  z.object({ address_ids: z.array(z.string()) }),
  z.object({ labels: z.array(z.string()) }),
]);
export type TokenLimit = z.infer<typeof TokenLimit>;

const AddressIds = z
  .array(z.string().regex(/^addr_\w{1,64}$/, 'must be the id of an address, such as addr_…'))
  .min(1)
  .max(LIMIT_ADDRESSES_MAX);
const askedIds = AddressIds.nullable()
  .optional()
  .describe(
    'the only addresses that the token reaches: everything else is 404 for it; default: null (all)',
  );
const RequiredLabels = Labels.refine(
  (labels) => Object.keys(labels).length > 0,
  'must have at least 1 label',
).meta({
  minProperties: 1,
});
const askedLabels = RequiredLabels.nullable()
  .optional()
  .describe(
    'the token reaches only addresses with all these labels, and creates addresses with them: ' +
      'everything else is 404 for it; default: null (all)',
  );

/** The fields of a token that say it; null or absent for no limit. */
export const limitFields = {
  address_ids: {
    view: z
      .array(z.string())
      .nullable()
      .describe('the only addresses that it reaches; null: it is not limited to ids'),
    create: askedIds,
    change: askedIds,
    spec: AddressIds.optional().meta({
      description:
        'ids of the only addresses that the token reaches; default: all, and the rest of the account',
      'x-kubernetes-list-type': 'set',
    }),
    example: [EXAMPLE.address_id],
  },
  labels: {
    view: Labels.nullable().describe(
      'it reaches only addresses with all these labels; null: it is not limited to labels',
    ),
    create: askedLabels,
    change: askedLabels,
    spec: RequiredLabels.optional().describe(
      'the token reaches only InboundAddress resources with all these spec.labels, and other ' +
        'addresses with them; default: all addresses, and the rest of the account',
    ),
    example: null,
  },
} as const satisfies Fields;

type LimitFields = {
  address_ids?: readonly string[] | null | undefined;
  labels?: Labels | null | undefined;
};

/** Both at the same time are refused before. */
export function limitOf({ address_ids, labels }: LimitFields): TokenLimit | null {
  if (address_ids) return { address_ids: [...new Set(address_ids)].toSorted() };
  return labels ? { labels: storedLabels(labels) } : null;
}

export const limitView = (limit: TokenLimit | null) => ({
  address_ids: limit && 'address_ids' in limit ? limit.address_ids : null,
  labels: limit && 'labels' in limit ? labelsView(limit.labels) : null,
});

/** Labels that addresses of this caller must have. */
export const requiredLabels = (limit: TokenLimit | null): readonly string[] =>
  limit && 'labels' in limit ? limit.labels : [];

/** For what a limited token asks for beyond its addresses. */
export const outsideLimit = (): AppError =>
  new AppError('not_found', 'There is no such resource for this token: it is limited to addresses');

export const tooManyLabelled = (): AppError =>
  new AppError(
    'forbidden',
    `${LABELLED_MAX} addresses or more have the labels of this token. Delete some, or use a token ` +
      'with more labels',
  );
