/**
 * Expressions over an email, in CEL (https://cel.dev): compiled once, type-checked against
 * variables.ts, bounded by allowed.ts and metering.ts. Pure: an expression reads its variables and
 * nothing else.
 */
import { Environment } from '@marcbachmann/cel-js';

import { EXPRESSION_MAX_CHARS } from '../text/expression-text.ts';
import { checkAllowed } from './allowed.ts';
import { ExpressionError, type ExpressionFault, faultText } from './fault.ts';
import { isExhausted, meter, spend, type Units, UNITS_MAX, withUnits } from './metering.ts';
import { type Reads, readsOf } from './reads.ts';
import { isListed, SenderList } from './sender-list.ts';
import { Attachment, ATTACHMENT_FIELDS, VARIABLES, type Variables } from './variables.ts';

export const NODES_MAX = 250;
export const DEPTH_MAX = 20;
const COMPILED_MAX = 2_000;

/** The value is null after an error. The caller decides what an error means. */
export type Evaluation =
  | { value: boolean; error: null }
  /** `isExhausted`: it would have taken more than it may. */
  | { value: null; error: ExpressionFault; isExhausted?: true };

export type Expression = Reads & {
  text: string;
  /** @param units what it may take, without which it has its own */
  evaluate(variables: Variables, units?: Units): Evaluation;
};

type Compilation =
  { expression: Expression; error: null } | { expression: null; error: ExpressionFault };

const environment = createEnvironment();
/** By text, the least recently used first. */
const compilations = new Map<string, Compilation>();

/** Knows the variables. */
export function createEnvironment(): Environment {
  const created = new Environment({
    enableOptionalTypes: true,
    limits: {
      maxAstNodes: NODES_MAX,
      maxDepth: DEPTH_MAX,
      maxListElements: 100,
      maxMapEntries: 0,
      maxCallArguments: 3,
    },
  });
  created.registerType('Attachment', { ctor: Attachment, fields: ATTACHMENT_FIELDS });
  created.registerType('SenderList', { ctor: SenderList, fields: {} });
  created.registerOperator('string in SenderList', (sender: string, list: SenderList) =>
    isListed(sender, list, spend),
  );
  for (const [name, type] of Object.entries(VARIABLES))
    if (typeof type === 'string') created.registerVariable(name, type);
    else created.registerVariable({ name, schema: type });
  return created;
}

const TOO_LONG: Compilation = {
  expression: null,
  error: {
    message: `An expression has at most ${EXPRESSION_MAX_CHARS} characters`,
    position: EXPRESSION_MAX_CHARS,
  },
};

/** The same text is compiled once. */
export function compileExpression(text: string): Compilation {
  if (text.length > EXPRESSION_MAX_CHARS) return TOO_LONG;
  const compiled = compilations.get(text) ?? compile(text);
  compilations.delete(text);
  compilations.set(text, compiled);
  if (compilations.size > COMPILED_MAX) {
    const [oldest = ''] = compilations.keys();
    compilations.delete(oldest);
  }
  return compiled;
}

function compile(text: string): Compilation {
  try {
    const parsed = environment.parse(text);
    const { valid, type, error } = parsed.check();
    if (!valid) throw error ?? new Error('invalid');
    if (type !== 'bool')
      throw new ExpressionError({ message: `The result is ${type}, not bool`, position: 0 });
    checkAllowed(parsed.ast);
    meter(parsed.ast);
    return {
      expression: {
        text,
        ...readsOf(parsed.ast),
        evaluate: (variables, units = { left: UNITS_MAX }) =>
          evaluated(() => parsed(variables), units),
      },
      error: null,
    };
  } catch (error) {
    return { expression: null, error: faultOf(error) };
  }
}

const EXHAUSTED: Evaluation = {
  value: null,
  error: { message: 'The expression takes too long for this email', position: 0 },
  isExhausted: true,
};

function evaluated(run: () => unknown, units: Units): Evaluation {
  try {
    const value = withUnits(units, run);
    if (isExhausted(units)) return EXHAUSTED;
    if (typeof value !== 'boolean')
      throw new ExpressionError({ message: 'The result is not bool', position: 0 });
    return { value, error: null };
  } catch (error) {
    return isExhausted(units) ? EXHAUSTED : { value: null, error: faultOf(error) };
  }
}

/** Errors of the library have a summary and a range. */
function faultOf(error: unknown): ExpressionFault {
  if (error instanceof ExpressionError) return error.fault;
  const { summary, range } = error as { summary?: string; range?: { start: number } };
  return {
    message: summary ?? 'The expression cannot be evaluated',
    position: range?.start ?? 0,
  };
}

/** What is wrong with an expression, in words; undefined when it can be evaluated, or is not a text. */
export function expressionFault(text: unknown): string | undefined {
  const { error } = typeof text === 'string' ? compileExpression(text) : { error: null };
  return error === null ? undefined : faultText(error);
}
