/** Selectors of CSS: names, classes, ids and attributes of an element, and of those around it. */

/** What selectors see of an element. */
export type Styled = {
  name: string;
  attributes: Readonly<Record<string, string>>;
  classes: ReadonlySet<string>;
  /** Its name, classes (`.a`) and id (`#a`), and `*`. */
  keys: readonly string[];
};

type Attribute = { name: string; operator: string; value: string };
type Compound = {
  name: string;
  classes: string[];
  id: string;
  attributes: Attribute[];
  isChild: boolean;
};
export type Selector = {
  compounds: Compound[];
  key: string;
  specificity: number;
  /** Comparisons with one element. */
  cost: number;
};

const SELECTOR_MAX_CHARS = 300;
const COMPOUNDS_MAX = 6;
const CLASSES_MAX = 20;
const VALUE_MAX_CHARS = 500;
/** Between blanks, and `>`; an attribute may hold both. */
const PIECES = />|(?:[^\s>[\]]|\[[^[\]]*\])+|[[\]]/g;
const PARTS = new RegExp(
  String.raw`([a-z][a-z0-9-]*|\*)|\.(-?[_a-z][\w-]*)|#([\w-]+)|` +
    String.raw`\[\s*([a-z][a-z0-9-]*)\s*(?:([~|^$*]?=)\s*(?:"([^"]*)"|'([^']*)'|([^\]\s"']+))\s*)?\]`,
  'y',
);

export function styledOf(name: string, attributes: Readonly<Record<string, string>>): Styled {
  const names = (attributes['class'] ?? '').slice(0, 1024).toLowerCase().split(/\s+/);
  const classes = new Set(names.filter(Boolean).slice(0, CLASSES_MAX));
  const id = attributes['id']?.slice(0, 256).toLowerCase();
  return {
    name,
    attributes,
    classes,
    keys: ['*', name, ...[...classes].map((one) => `.${one}`), ...(id ? [`#${id}`] : [])],
  };
}

/** Undefined for what is not understood, such as `a:hover` and `a + b`. @param text in lower case */
export function selectorOf(text: string): Selector | undefined {
  if (text.length > SELECTOR_MAX_CHARS) return undefined;
  const compounds: Compound[] = [];
  let isChild = false;
  for (const piece of text.match(PIECES) ?? []) {
    if (piece === '>') {
      isChild = true;
      continue;
    }
    const compound = compoundOf(piece, isChild);
    if (compound === undefined || compounds.length >= COMPOUNDS_MAX) return undefined;
    compounds.push(compound);
    isChild = false;
  }
  const last = compounds.at(-1);
  if (last === undefined || isChild) return undefined;
  const sum = (weigh: (compound: Compound) => number): number =>
    compounds.reduce((total, compound) => total + weigh(compound), 0);
  return {
    compounds,
    key: last.id ? `#${last.id}` : last.classes[0] ? `.${last.classes[0]}` : last.name || '*',
    specificity:
      10_000 * sum(({ id }) => (id ? 1 : 0)) +
      100 * sum(({ classes, attributes }) => classes.length + attributes.length) +
      sum(({ name }) => (name && name !== '*' ? 1 : 0)),
    cost: sum(({ classes, attributes }) => 1 + classes.length + attributes.length),
  };
}

function compoundOf(text: string, isChild: boolean): Compound | undefined {
  const compound: Compound = { name: '', classes: [], id: '', attributes: [], isChild };
  for (PARTS.lastIndex = 0; PARTS.lastIndex < text.length;) {
    const part = PARTS.exec(text);
    if (part === null) return undefined;
    const [, name, className, id, attribute, operator = '', ...values] = part;
    if (name) compound.name = name;
    else if (className) compound.classes.push(className);
    else if (id) compound.id = id;
    else if (attribute)
      compound.attributes.push({
        name: attribute,
        operator,
        value: values.find((value) => value !== undefined) ?? '',
      });
  }
  return compound;
}

/** @param ancestors the nearest last */
export function matches(
  { compounds }: Selector,
  element: Styled,
  ancestors: readonly { element: Styled }[],
): boolean {
  const last = compounds.length - 1;
  if (!fits(compounds[last] as Compound, element)) return false;
  let at = ancestors.length - 1;
  let isChild = (compounds[last] as Compound).isChild;
  for (let index = last - 1; index >= 0; index--) {
    const compound = compounds[index] as Compound;
    while (at >= 0 && !isChild && !fits(compound, (ancestors[at] as { element: Styled }).element))
      at--;
    if (at < 0 || !fits(compound, (ancestors[at] as { element: Styled }).element)) return false;
    ({ isChild } = compound);
    at--;
  }
  return true;
}

const fits = ({ name, classes, id, attributes }: Compound, element: Styled): boolean =>
  (name === '' || name === '*' || name === element.name) &&
  classes.every((one) => element.classes.has(one)) &&
  (id === '' || element.attributes['id']?.toLowerCase() === id) &&
  attributes.every((one) =>
    hasAttribute(one, element.attributes[one.name]?.slice(0, VALUE_MAX_CHARS).toLowerCase()),
  );

function hasAttribute({ operator, value }: Attribute, actual: string | undefined): boolean {
  if (actual === undefined) return false;
  if (operator === '') return true;
  if (operator === '=') return actual === value;
  if (value === '') return false;
  if (operator === '^=') return actual.startsWith(value);
  if (operator === '$=') return actual.endsWith(value);
  if (operator === '*=') return actual.includes(value);
  if (operator === '|=') return actual === value || actual.startsWith(`${value}-`);
  return actual.split(/\s+/).includes(value);
}
