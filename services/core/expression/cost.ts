/**
 * The bounds of an expression: which functions it may call, and its highest cost on any email. A
 * loop costs its body times the longest list. Nothing may build a longer text or list than the email
 * has: no map, no concatenation.
 */
import { ExpressionError } from './fault.ts';
import { LIST_MAX, VARIABLES } from './variables.ts';

/** A node of the parsed and checked expression. */
export type Node = {
  op: string;
  args: unknown;
  start: number;
  checkedType?: { kind: string; name: string };
};

export const COST_MAX = 5_000;

/** The first argument is the name of the element. */
export const LOOPS = ['exists', 'all', 'exists_one', 'filter'] as const;

/** Times are in UTC: a time zone in an expression costs too much. */
const TIME_METHODS = [
  'getFullYear',
  'getMonth',
  'getDate',
  'getDayOfWeek',
  'getHours',
  'getMinutes',
] as const;

/** Cost of each, in units of a simple operation. */
export const METHODS: Readonly<Record<string, number>> = {
  startsWith: 2,
  endsWith: 2,
  contains: 6,
  lowerAscii: 10,
  upperAscii: 10,
  size: 60,
  hasValue: 2,
  orValue: 2,
  ...Object.fromEntries(TIME_METHODS.map((name) => [name, 4])),
};

/** Functions of a constant: a wrong one is refused when the expression is compiled. */
const CONSTANT = {
  timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/,
  duration: /^-?(\d{1,9}(\.\d{1,9})?(h|m|s|ms))+$/,
};
export const FUNCTIONS = ['has', 'size', ...Object.keys(CONSTANT)] as const;

/** A sender has up to 126 domains above it. */
const SENDER_LIST = 60;

/** An error at run time costs the library this much, and a || b may ignore it. */
const MAY_FAIL = 250;

const REPLACEMENT: Readonly<Record<string, string>> = {
  matches: 'Regular expressions are not available: use startsWith, endsWith or contains',
  map: 'map is not available: use exists, all or filter',
};

/** Its cost. @throws ExpressionError */
export function checkCost(root: Node): number {
  const cost = costOf(root);
  if (cost > COST_MAX)
    throw fault(root, `The expression costs ${cost}, and at most ${COST_MAX} is allowed`);
  return cost;
}

function costOf(node: Node): number {
  switch (node.op) {
    case 'value':
    case 'id':
      return 1;
    case '.':
    case '.?': {
      const [of] = node.args as [Node, string];
      return costOf(of) + (node.op === '.' && isMap(of) ? MAY_FAIL : 1);
    }
    case '[]':
    case '[?]':
      return sum(node) + (node.op === '[]' ? MAY_FAIL : 4);
    case 'call':
      return callCost(node);
    case 'rcall':
      return methodCost(node);
    case '+':
    case '-':
    case '*':
    case '-_':
      if (!/^(int|double|google\.protobuf\..*)$/.test(node.checkedType?.name ?? ''))
        throw fault(node, 'Texts and lists cannot be concatenated');
      return sum(node) + MAY_FAIL;
    case '/':
    case '%':
      return sum(node) + MAY_FAIL;
    case '==':
    case '!=':
      if ((node.args as Node[]).some(isCollection))
        throw fault(node, 'Lists and maps cannot be compared: use exists, all, in or size');
      return sum(node) + 2;
    case 'in': {
      const [, collection] = node.args as [Node, Node];
      if (isSenderList(collection)) return sum(node) + SENDER_LIST;
      return sum(node) + (isMap(collection) ? 4 : lengthOf(collection));
    }
    case 'list':
    case '?:':
    case '||':
    case '&&':
    case '!_':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return sum(node) + 1;
    default:
      throw fault(node, `${node.op} is not available`);
  }
}

const sum = ({ args }: Node): number =>
  [args as Node | Node[]].flat().reduce((total, one) => total + costOf(one), 1);

function callCost(node: Node): number {
  const [name, args] = node.args as [string, Node[]];
  const [first] = args;
  if (name === 'has' && first !== undefined) return costOf(first) + 4;
  if (name === 'size' && first !== undefined) return costOf(first) + (METHODS.size ?? 0);
  if (name === 'timestamp' || name === 'duration') {
    const text = first?.op === 'value' ? first.args : undefined;
    if (typeof text !== 'string' || !CONSTANT[name].test(text) || isNoTime(name, text))
      throw fault(node, `${name} needs a constant text, such as ${EXAMPLES[name]}`);
    return 20;
  }
  throw fault(node, REPLACEMENT[name] ?? `The function ${name} is not available`);
}

const EXAMPLES = { timestamp: '"2026-11-25T00:00:00Z"', duration: '"1h30m"' };
const isNoTime = (name: string, text: string): boolean =>
  name === 'timestamp' && !(Date.parse(text) > 0);

function methodCost(node: Node): number {
  const [name, receiver, args] = node.args as [string, Node, Node[]];
  if ((LOOPS as readonly string[]).includes(name)) {
    const [element, body] = args;
    if (element === undefined || body === undefined || args.length > 2)
      throw fault(node, `${name} needs a name and a condition`);
    if (Object.hasOwn(VARIABLES, String(element.args)))
      throw fault(element, `${String(element.args)} is the name of a variable`);
    return costOf(receiver) + lengthOf(receiver) * (costOf(body) + 3);
  }
  const own = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (own === undefined)
    throw fault(node, REPLACEMENT[name] ?? `The function ${name} is not available`);
  if (args.length > 0 && (TIME_METHODS as readonly string[]).includes(name))
    throw fault(node, `${name} has no argument: times are in UTC`);
  return args.reduce((total, one) => total + costOf(one), costOf(receiver) + own);
}

/** The longest that a list or the keys of a map can be. */
function lengthOf({ op, args }: Node): number {
  if (op === 'list') return (args as Node[]).length;
  if (op === 'id' && args === 'attachments') return LIST_MAX.attachments;
  if (op === 'id' && args === 'tags') return LIST_MAX.tags;
  if (op === '.' && (args as [Node, string])[1] === 'rcpt_to') return LIST_MAX.recipients;
  if (op === 'rcall' && (args as [string, Node])[0] === 'filter')
    return lengthOf((args as [string, Node])[1]);
  return Math.max(...Object.values(LIST_MAX));
}

const isMap = ({ checkedType }: Node): boolean => checkedType?.kind === 'map';
const isSenderList = ({ checkedType }: Node): boolean => checkedType?.name === 'SenderList';
const isCollection = (node: Node): boolean => isMap(node) || node.checkedType?.kind === 'list';

const fault = ({ start }: Node, message: string): ExpressionError =>
  new ExpressionError({ message, position: start });
