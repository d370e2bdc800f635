/**
 * Expressions over an email, in CEL (https://cel.dev): compiled once, type-checked against
 * variables.ts, bounded by cost.ts. Pure: an expression reads its variables and nothing else.
 */
import { Environment } from '@marcbachmann/cel-js';

import { EXPRESSION_MAX_CHARS } from '../expression-text.ts';
import { checkCost } from './cost.ts';
import { ExpressionError, type ExpressionFault, faultText } from './fault.ts';
import { type Reads, readsOf } from './reads.ts';
import { isListed, SenderList } from './sender-list.ts';
import { Attachment, ATTACHMENT_FIELDS, VARIABLES, type Variables } from './variables.ts';

export const NODES_MAX = 250;
export const DEPTH_MAX = 20;
const COMPILED_MAX = 2_000;

/** The value is null after an error. The caller decides what an error means. */
type Evaluation = { value: boolean; error: null } | { value: null; error: ExpressionFault };

export type Expression = Reads & {
  text: string;
  cost: number;
  evaluate(variables: Variables): Evaluation;
};

type Compilation =
  { expression: Expression; error: null } | { expression: null; error: ExpressionFault };

const environment = createEnvironment();
/** By text, the least recently used first. */
const compilations = new Map<string, Compilation>();

function createEnvironment(): Environment {
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
  created.registerOperator('string in SenderList', isListed);
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
    const cost = checkCost(parsed.ast);
    return {
      expression: {
        text,
        cost,
        ...readsOf(parsed.ast),
        evaluate: (variables) => evaluated(parsed, variables),
      },
      error: null,
    };
  } catch (error) {
    return { expression: null, error: faultOf(error) };
  }
}

function evaluated(run: (context: Variables) => unknown, variables: Variables): Evaluation {
  try {
    const value = run(variables);
    if (typeof value !== 'boolean')
      throw new ExpressionError({ message: 'The result is not bool', position: 0 });
    return { value, error: null };
  } catch (error) {
    return { value: null, error: faultOf(error) };
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
