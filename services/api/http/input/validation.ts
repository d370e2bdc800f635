/** Validates queries and bodies; the response names the first fault in document order (D4). */
import { z } from 'zod';

import {
  AppError,
  type FieldFault,
  type FieldRule,
  RULE_TEXT,
} from '../../../core/error/app-error.ts';
import { issueText } from '../../../core/error/issue-text.ts';
import { withCredentialsOfUrl } from '../../../core/receiver/url-credentials.ts';

/** @throws AppError `validation_failed` */
export function parseBody<T extends z.ZodObject>(schema: T, asked: unknown): z.output<T> {
  const body = 'auth' in schema.shape ? withCredentialsOfUrl(asked) : asked;
  const parsed = schema.safeParse(body, { error: issueText });
  if (parsed.success) return parsed.data;
  throw failureOf(firstFault(parsed.error.issues, Object.keys(schema.shape), body));
}

/** @throws AppError `validation_failed` */
export function parseQuery<T extends z.ZodObject>(schema: T, query: URLSearchParams): z.output<T> {
  const fields: Record<string, unknown> = Object.create(null);
  for (const name of query.keys()) {
    const [text = '', ...more] = query.getAll(name);
    // a repeated field is invalid: no field is a list
    fields[name] = more.length > 0 ? [text, ...more] : fieldValue(schema.shape[name], text);
  }
  return parseBody(schema, { ...fields });
}

/** For a rule that no schema checks. */
export const invalidField = (field: string, code: FieldRule): AppError =>
  failureOf({ field, code, message: RULE_TEXT[code] });

type Fault = FieldFault & {
  /** What follows the name of the field. */
  message: string;
};

const failureOf = ({ message, ...details }: Fault) => {
  const space = message.startsWith(':') ? '' : ' ';
  return new AppError('validation_failed', `${details.field}${space}${message}`, { details });
};

/**
 * Converts query text to the type of its schema. Other text is returned unchanged, so that the
 * schema rejects it.
 */
function fieldValue(schema: unknown, text: string): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return fieldValue(schema.unwrap(), text);
  if (schema instanceof z.ZodNumber) return /^-?\d+$/.test(text) ? Number(text) : text;
  if (schema instanceof z.ZodBoolean) return text === 'true' || (text === 'false' ? false : text);
  return text;
}

/** Known fields are in the order of the schema; unknown ones follow in the order of the request. */
function firstFault(
  issues: readonly z.core.$ZodIssue[],
  documentOrder: readonly string[],
  input: unknown,
): Fault {
  const faults = issues.map((issue) => ({
    field: fieldOf(issue),
    code: ruleOf(issue, input),
    ...(issue.code === 'custom' && positionIn(issue.params)),
    message: issue.message,
  }));
  const inOrder = documentOrder.flatMap((name) =>
    faults.filter(({ field }) => field === name || field.startsWith(`${name}.`)),
  );
  const code = 'invalid_value';
  return inOrder[0] ?? faults[0] ?? { field: 'body', code, message: RULE_TEXT[code] };
}

function fieldOf(issue: z.core.$ZodIssue): string {
  const path =
    issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path;
  return path.length === 0 ? 'body' : path.map(String).join('.');
}

function ruleOf(issue: z.core.$ZodIssue, input: unknown): FieldRule {
  if (issue.code === 'custom') return ruleNamedBy(issue.params) ?? 'invalid_value';
  if (issue.code === 'invalid_type')
    return issue.path.length > 0 && valueAt(input, issue.path) === undefined
      ? 'required'
      : 'invalid_type';
  if (issue.code === 'unrecognized_keys') return 'unknown_field';
  if (issue.code === 'too_small') return 'too_small';
  if (issue.code === 'too_big') return issue.origin === 'string' ? 'too_long' : 'too_big';
  return 'invalid_value';
}

const positionIn = ({ position }: Record<string, unknown> = {}) =>
  typeof position === 'number' ? { position } : {};

function ruleNamedBy(params: Record<string, unknown> | undefined): FieldRule | undefined {
  const rule = params?.rule;
  return typeof rule === 'string' && rule in RULE_TEXT ? (rule as FieldRule) : undefined;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null
        ? (value as Record<PropertyKey, unknown>)[key]
        : undefined,
    input,
  );
}
