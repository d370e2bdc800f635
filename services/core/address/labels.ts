/** Labels of addresses: key-value pairs, by which lists and tokens choose addresses (D69). */
import { z } from 'zod';

export const LABELS_MAX = 10;

// as the labels of Kubernetes; RE2 (docs/custom-resources.md) knows both
const LABEL_KEY = '[a-z0-9](?:[a-z0-9._/-]{0,61}[a-z0-9])?';
const LABEL_VALUE = '[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?';

const LabelValue = z
  .string()
  .regex(
    new RegExp(`^${LABEL_VALUE}$`),
    'must be 1 to 63 letters, digits, dots, hyphens and _, and begin and end with a letter or digit',
  );

/** As requests and responses have them. */
export const Labels = z
  .record(
    z
      .string()
      .regex(
        new RegExp(`^${LABEL_KEY}$`),
        'must be 1 to 63 lower-case letters, digits, dots, hyphens, _ and /, and begin and end with a letter or digit',
      ),
    LabelValue,
  )
  .refine(
    (labels) => Object.keys(labels).length <= LABELS_MAX,
    `must have at most ${LABELS_MAX} labels`,
  )
  .meta({ maxProperties: LABELS_MAX });
export type Labels = z.infer<typeof Labels>;

/** As records have them: `key=value`, sorted, so that an index finds each pair. */
export const storedLabels = (labels: Labels): string[] =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .toSorted();

export const labelsView = (stored: readonly string[] | undefined): Labels =>
  Object.fromEntries(
    (stored ?? []).map((pair): [string, string] => {
      const [key = '', value = ''] = pair.split('=');
      return [key, value];
    }),
  );

export const labelKey = (pair: string): string => pair.slice(0, pair.indexOf('='));

const PAIR = `${LABEL_KEY}=${LABEL_VALUE}`;

/** A query parameter: `key=value`, several separated by commas. */
export const LABEL_LIST = new RegExp(`^${PAIR}(?:,${PAIR}){0,${LABELS_MAX - 1}}$`);
