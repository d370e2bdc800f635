/**
 * What an evaluation takes is counted while it runs: each node that is visited, and each text that it
 * yields, because whatever receives a text may read all of it. So no function needs a price (D306).
 */
import type { Node } from './allowed.ts';
import { containsText } from './text-search.ts';

/** What an evaluation may still take. A unit is one character, or what takes as long. */
export type Units = { left: number };

/** What one evaluation may take: a few tens of milliseconds of CPU time at most. */
export const UNITS_MAX = 1_000_000;
const NODE_UNITS = 8;
/** The library makes a text with the place of an error, and `a || b` may ignore it. */
const ERROR_UNITS = 1_000;

/** Thrown within the library, which may ignore it: the caller looks at `left`. */
const EXHAUSTED = new Error('the evaluation has used its units');

/** Units of the running evaluation: none waits, and none contains another one. */
let current: Units = { left: 0 };

/** @throws when nothing is left */
export function spend(units: number): void {
  current.left -= units;
  if (current.left < 0) throw EXHAUSTED;
}

export const isExhausted = ({ left }: Units): boolean => left < 0;

/** Evaluates with these units. */
export function withUnits<T>(units: Units, evaluate: () => T): T {
  const before = current;
  current = units;
  try {
    return evaluate();
  } finally {
    current = before;
  }
}

type Evaluate = (evaluator: unknown, node: unknown, context: unknown) => unknown;
type Handle = (args: unknown[], evaluator: unknown, node: unknown) => unknown;
/** A node of the library, after its types were checked. */
type LibraryNode = Node & {
  meta: { alternate?: LibraryNode; macro?: { evaluate: Evaluate }; evaluate: Evaluate };
  setMeta(key: string, value: unknown): unknown;
  handle?: Handle;
};

/** From now on, evaluations of this expression are counted. */
export function meter(root: Node): void {
  const seen = new Set<unknown>();
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null || seen.has(part)) return;
    seen.add(part);
    if (isNode(part)) {
      meterNode(part);
      visit(part.meta.alternate);
      visit(part.args);
    } else {
      Object.values(part).forEach(visit);
    }
  };
  visit(root);
}

const isNode = (part: object): part is LibraryNode => 'op' in part && 'meta' in part;

function meterNode(node: LibraryNode): void {
  const { macro, alternate, evaluate } = node.meta;
  if (alternate) return; // it is evaluated in place of this node
  if (macro) macro.evaluate = metered(macro.evaluate);
  else node.setMeta('evaluate', metered(evaluate));
  const [first, second] = Array.isArray(node.args) ? (node.args as LibraryNode[]) : [];
  const isConstant = (CONSTANTS as readonly unknown[]).includes(first);
  if (node.op === 'call' && isConstant) node.setMeta('evaluate', once(node.meta.evaluate));
  if (node.op === 'in' && second) meterValue(second, Array.isArray);
  if (node.op === '==' || node.op === '!=')
    for (const side of [first, second]) if (side) meterValue(side, isCollection);
  if (node.op === 'rcall' && (first as unknown) === 'contains' && node.handle)
    node.handle = withLinearSearch(node.handle);
}

/** Functions whose argument is a constant. */
const CONSTANTS = ['timestamp', 'duration'] as const;

function once(evaluate: Evaluate): Evaluate {
  let value: unknown;
  return (...all) => (value ??= evaluate(...all));
}

const metered = (evaluate: Evaluate): Evaluate =>
  function meteredNode(evaluator, node, context) {
    spend(NODE_UNITS);
    const value = evaluated(evaluate, evaluator, node, context);
    if (typeof value === 'string') spend(value.length);
    return value;
  };

function evaluated(evaluate: Evaluate, ...[evaluator, node, context]: Parameters<Evaluate>) {
  const { left } = current;
  try {
    return evaluate(evaluator, node, context);
  } catch (error) {
    if (left - current.left < ERROR_UNITS) spend(ERROR_UNITS); // counted where it was thrown
    throw error;
  }
}

const isCollection = (value: unknown): boolean => Array.isArray(value) || value instanceof Map;

/** All of such a value of the node is read. Types that are known only now may be lists. */
function meterValue(node: LibraryNode, isRead: (value: unknown) => boolean): void {
  const target = node.meta.alternate ?? node;
  const { macro, evaluate } = target.meta;
  const reading =
    (original: Evaluate): Evaluate =>
    (...all) => {
      const value = original(...all);
      if (isRead(value)) spendAll(value);
      return value;
    };
  if (macro) macro.evaluate = reading(macro.evaluate);
  else target.setMeta('evaluate', reading(evaluate));
}

function spendAll(value: unknown): void {
  spend(NODE_UNITS + (typeof value === 'string' ? value.length : 0));
  if (Array.isArray(value)) value.forEach(spendAll);
  else if (value instanceof Map) for (const entry of value) spendAll(entry);
}

const withLinearSearch =
  (handle: Handle): Handle =>
  (args, evaluator, node) => {
    const [text, pattern] = args;
    if (typeof text === 'string' && typeof pattern === 'string') return containsText(text, pattern);
    return handle(args, evaluator, node);
  };
