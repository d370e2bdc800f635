/** Labels in a text field: `key=value`, separated by commas or spaces. The API checks each. */
import type { Address } from '../../core/api/api-types.generated.ts';

type Labels = Address['labels'];

export const wordsIn = (text: string): string[] =>
  text.split(/[\s,;]+/).filter((word) => word !== '');

export const labelsIn = (text: string): Labels =>
  Object.fromEntries(
    wordsIn(text).map((pair): [string, string] => {
      const [key = '', ...value] = pair.split('=');
      return [key, value.join('=')];
    }),
  );

export const labelsText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
