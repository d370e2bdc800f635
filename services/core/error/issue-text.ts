/** What is wrong with a value, as it follows the name of its field or setting: `must be at most 10`. */
import type { z } from 'zod';

import { type FieldRule, RULE_TEXT } from './app-error.ts';

/**
 * The error map of all schemas that people write values for. A check with a message of its own keeps it.
 * @returns for each kind of issue the rule with its limit, and never the value, which may be a secret
 */
export function issueText(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? RULE_TEXT.required : typeText(issue.expected);
    case 'too_big':
      return `must ${sizeText(issue.origin, 'most', Number(issue.maximum))}`;
    case 'too_small':
      return `must ${sizeText(issue.origin, 'least', Number(issue.minimum))}`;
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.join(', ')}`;
    case 'invalid_format':
      return issue.format === 'url' ? 'must be an http or https URL' : 'has a wrong form';
    case 'invalid_key':
      return `has a key that is not allowed: it ${issue.issues[0]?.message}`;
    case 'unrecognized_keys':
      return RULE_TEXT.unknown_field;
    case 'custom':
      return RULE_TEXT[(issue.params?.rule as FieldRule | undefined) ?? 'invalid_value'];
    case 'invalid_element':
    case 'invalid_union':
    case 'not_multiple_of':
      break;
  }
  return RULE_TEXT.invalid_value;
}

/** The first issue with the path of its field below `root`. The schema was applied with `issueText`. */
export function firstIssueText({ issues: [issue] }: z.core.$ZodError, root: string): string {
  const path = [root, ...(issue?.path ?? [])].map(String).join('.');
  return `${path} ${issue?.message}`;
}

const TYPES: Record<string, string> = {
  int: 'a whole number',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  boolean: 'true or false',
};
const typeText = (expected: string) => `must be ${TYPES[expected] ?? `a ${expected}`}`;

const UNITS: Record<string, string> = { string: 'character', array: 'item', set: 'item' };

/** @param origin the type of the value: texts and lists have a length, a number is one */
export function sizeText(origin: string, bound: 'most' | 'least', limit: number): string {
  const unit = UNITS[origin];
  return unit === undefined
    ? `be at ${bound} ${limit}`
    : `have at ${bound} ${limit} ${unit}${limit === 1 ? '' : 's'}`;
}
