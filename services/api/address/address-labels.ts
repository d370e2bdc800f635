/** The labels that an address of a limited caller has (D69). */
import { labelKey, LABELS_MAX } from '../../core/address/labels.ts';
import type { AddressCaller } from '../../core/token/token.ts';
import {
  LABELLED_MAX,
  outsideLimit,
  requiredLabels,
  tooManyLabelled,
} from '../../core/token/token-limit.ts';
import { AppError } from '../../core/error/app-error.ts';
import { invalidField } from '../http/input/validation.ts';

/** Labels of the request, and those that limit the token. */
export function labelsFor(caller: AddressCaller, requested: readonly string[] = []): string[] {
  if (caller.limit !== null && 'address_ids' in caller.limit) throw outsideLimit();
  const required = requiredLabels(caller.limit);
  if (required.length > 0 && (caller.address_ids?.length ?? 0) >= LABELLED_MAX)
    throw tooManyLabelled();
  const keys = new Set(required.map(labelKey));
  const others = requested.filter((pair) => !keys.has(labelKey(pair)));
  requireLabels(caller, [...required, ...requested.filter((pair) => keys.has(labelKey(pair)))]);
  const all = [...required, ...others];
  if (all.length > LABELS_MAX) throw invalidField('labels', 'too_big');
  return all.toSorted();
}

/** @throws AppError `validation_failed` without a label of the token */
export function requireLabels({ limit }: AddressCaller, labels: readonly string[]): void {
  const required = requiredLabels(limit);
  const keys = new Set(required.map(labelKey));
  const kept = labels.filter((pair) => keys.has(labelKey(pair)));
  if (new Set(kept).size === required.length && required.every((pair) => kept.includes(pair)))
    return;
  throw new AppError(
    'validation_failed',
    `The token is limited to addresses with the labels ${required.join(', ')}`,
    { details: { field: 'labels', code: 'conflict' } },
  );
}
