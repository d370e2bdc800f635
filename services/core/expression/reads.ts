/** Which variables and lists an expression reads: a trace shows their values (docs/rules.md). */
import type { Node } from './allowed.ts';
import { CONTENT_VARIABLES, isKnown, VARIABLES, type Variables } from './variables.ts';
import { cutText } from '../text/text.ts';

export type Reads = {
  /** Such as `subject`, `from.domain` and `headers["x-mailer"]`, each once. */
  variables: readonly string[];
  /** Names of lists. */
  lists: readonly string[];
};

const VALUE_MAX_CHARS = 100;
const LISTED_MAX = 5;

export function readsOf(root: Node): Reads {
  const variables = new Set<string>();
  const lists = new Set<string>();
  const visit = (node: Node): void => {
    const { op, args } = node;
    const [of, key] = Array.isArray(args) ? (args as [unknown, unknown]) : [undefined, undefined];
    const variable = isNode(of) && of.op === 'id' ? String(of.args) : undefined;
    const name = isNode(key) ? (key.op === 'value' ? key.args : undefined) : key;
    const isAccess = ['.', '.?', '[]', '[?]'].includes(op) && variable !== undefined;
    if (isAccess && variable === 'lists' && typeof name === 'string') return void lists.add(name);
    if (isAccess && variable === 'headers' && typeof name === 'string')
      return void variables.add(`headers[${JSON.stringify(name)}]`);
    if (isAccess && isObject(variable)) return void variables.add(`${variable}.${String(name)}`);
    if (op === 'id' && isVariable(args) && args !== 'lists') variables.add(args);
    for (const child of Array.isArray(args) ? args.flat() : [args]) if (isNode(child)) visit(child);
  };
  visit(root);
  return { variables: [...variables], lists: [...lists] };
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'op' in value;
const isVariable = (name: unknown): name is keyof typeof VARIABLES =>
  typeof name === 'string' && Object.hasOwn(VARIABLES, name);
const isObject = (name: string | undefined): name is string =>
  isVariable(name) && typeof VARIABLES[name] === 'object';

/** The value of a variable for people; undefined when it has none. */
export function valueOf(name: string, variables: Variables): string | undefined {
  const header = /^headers\["(.*)"\]$/.exec(name)?.[1];
  if (header !== undefined) return shown(variables.headers.get(header));
  const [root = '', field] = name.split('.');
  if (!isVariable(root)) return undefined;
  const isOfContent = (CONTENT_VARIABLES as readonly string[]).includes(root);
  if (isOfContent && !isKnown(variables, root)) return undefined; // `a || links.mismatched`
  try {
    const value: unknown = variables[root];
    return shown(field === undefined ? value : (value as Readonly<Record<string, unknown>>)[field]);
  } catch {
    return undefined; // sender while DNS does not answer
  }
}

function shown(value: unknown): string | undefined {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value))
    return value.every((one) => typeof one === 'string')
      ? cutText(value.slice(0, LISTED_MAX).join(', '), VALUE_MAX_CHARS)
      : String(value.length);
  if (value instanceof Map) return String(value.size);
  return value === undefined ? undefined : cutText(String(value), VALUE_MAX_CHARS);
}
