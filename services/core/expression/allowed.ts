/**
 * Which operators and functions an expression may use. Nothing may build a longer text or list than
 * the email has: no map, no concatenation. What an evaluation may take is counted while it runs
 * (metering.ts).
 */
import { ExpressionError } from './fault.ts';
import { VARIABLES } from './variables.ts';

/** A node of the parsed and checked expression. */
export type Node = {
  op: string;
  args: unknown;
  start: number;
  checkedType?: { kind: string; name: string };
};

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

export const METHODS: readonly string[] = [
  'startsWith',
  'endsWith',
  'contains',
  'lowerAscii',
  'upperAscii',
  'size',
  'hasValue',
  'orValue',
  ...TIME_METHODS,
];

/** Functions of a constant: a wrong one is refused when the expression is compiled. */
const CONSTANT = {
  timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/,
  duration: /^-?(\d{1,9}(\.\d{1,9})?(h|m|s|ms))+$/,
};
export const FUNCTIONS = ['has', 'size', ...Object.keys(CONSTANT)] as const;

const REPLACEMENT: Readonly<Record<string, string>> = {
  matches: 'Regular expressions are not available: use startsWith, endsWith or contains',
  map: 'map is not available: use exists, all or filter',
};

/** @throws ExpressionError */
export function checkAllowed(node: Node): void {
  switch (node.op) {
    case 'value':
    case 'id':
      return;
    case '.':
    case '.?':
      return checkAllowed((node.args as [Node, string])[0]);
    case 'call':
      return checkCall(node);
    case 'rcall':
      return checkMethod(node);
    case '+':
    case '-':
    case '*':
    case '-_':
      if (!/^(int|double|google\.protobuf\..*)$/.test(node.checkedType?.name ?? ''))
        throw fault(node, 'Texts and lists cannot be concatenated');
      return checkParts(node);
    case '==':
    case '!=':
      if ((node.args as Node[]).some(isCollection))
        throw fault(node, 'Lists and maps cannot be compared: use exists, all, in or size');
      return checkParts(node);
    case '/':
    case '%':
    case '[]':
    case '[?]':
    case 'in':
    case 'list':
    case '?:':
    case '||':
    case '&&':
    case '!_':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return checkParts(node);
    default:
      throw fault(node, `${node.op} is not available`);
  }
}

const checkParts = ({ args }: Node): void => [args as Node | Node[]].flat().forEach(checkAllowed);

function checkCall(node: Node): void {
  const [name, args] = node.args as [string, Node[]];
  const [first] = args;
  if ((name === 'has' || name === 'size') && first !== undefined) return checkAllowed(first);
  if (name !== 'timestamp' && name !== 'duration')
    throw fault(node, REPLACEMENT[name] ?? `The function ${name} is not available`);
  const text = first?.op === 'value' ? first.args : undefined;
  if (typeof text !== 'string' || !CONSTANT[name].test(text) || isNoTime(name, text))
    throw fault(node, `${name} needs a constant text, such as ${EXAMPLES[name]}`);
}

const EXAMPLES = { timestamp: '"2026-11-25T00:00:00Z"', duration: '"1h30m"' };
const isNoTime = (name: string, text: string): boolean =>
  name === 'timestamp' && !(Date.parse(text) > 0);

function checkMethod(node: Node): void {
  const [name, receiver, args] = node.args as [string, Node, Node[]];
  if ((LOOPS as readonly string[]).includes(name)) {
    const [element, body] = args;
    if (element === undefined || body === undefined || args.length > 2)
      throw fault(node, `${name} needs a name and a condition`);
    if (Object.hasOwn(VARIABLES, String(element.args)))
      throw fault(element, `${String(element.args)} is the name of a variable`);
  } else if (!METHODS.includes(name)) {
    throw fault(node, REPLACEMENT[name] ?? `The function ${name} is not available`);
  } else if (args.length > 0 && (TIME_METHODS as readonly string[]).includes(name)) {
    throw fault(node, `${name} has no argument: times are in UTC`);
  }
  [receiver, ...args].forEach(checkAllowed);
}

const isCollection = ({ checkedType }: Node): boolean =>
  checkedType?.kind === 'map' || checkedType?.kind === 'list';

const fault = ({ start }: Node, message: string): ExpressionError =>
  new ExpressionError({ message, position: start });
