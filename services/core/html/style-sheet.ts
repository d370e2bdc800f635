/**
 * The style elements of an email: rules for elements by name, class, id and attributes, and within
 * others. Media queries and other selectors are not read.
 */
import {
  type Declarations,
  type Declared,
  declarationsOf,
  NO_DECLARATIONS,
  withoutComments,
} from './css.ts';
import { matches, type Selector, selectorOf, type Styled } from './selector.ts';

/** Limits for all style elements of an email together. */
const [SHEETS_MAX_CHARS, RULES_MAX] = [128 * 1024, 2_000];
/** Comparisons of selectors with elements; the rest counts as not matching. */
const STEPS_MAX = 200_000;

type Rule = Selector & { order: number; declarations: Declarations };

export function createStyleSheet() {
  /** By the last name, class or id of the selector, which an element must have. */
  const rules = new Map<string, Rule[]>();
  let [charsLeft, rulesLeft, stepsLeft] = [SHEETS_MAX_CHARS, RULES_MAX, STEPS_MAX];

  return {
    add: (css: string) => {
      for (const { prelude, declarations } of rulesOf(css.slice(0, charsLeft)))
        for (const text of prelude.split(',', RULES_MAX)) {
          if (--rulesLeft < 0) return;
          const selector = declarations.size > 0 ? selectorOf(text.trim()) : undefined;
          if (selector === undefined) continue;
          const rule = { ...selector, order: rulesLeft, declarations };
          const known = rules.get(selector.key);
          if (known) known.push(rule);
          else rules.set(selector.key, [rule]);
        }
      charsLeft = Math.max(0, charsLeft - css.length);
    },

    /** What the rules say about an element. @param ancestors the nearest last */
    of: (element: Styled, ancestors: readonly { element: Styled }[]): Declarations => {
      if (rules.size === 0) return NO_DECLARATIONS;
      const found: Rule[] = [];
      for (const key of element.keys)
        for (const rule of rules.get(key) ?? []) {
          stepsLeft -= rule.cost + (rule.compounds.length > 1 ? ancestors.length : 0);
          if (stepsLeft < 0) break;
          if (matches(rule, element, ancestors)) found.push(rule);
        }
      if (found.length <= 1) return found[0]?.declarations ?? NO_DECLARATIONS;
      return merged(found);
    },
  };
}

/** The more specific ones count, then the later ones; `!important` before both. */
function merged(rules: readonly Rule[]): Declarations {
  const sorted = rules.toSorted((a, b) => a.specificity - b.specificity || b.order - a.order);
  const all = new Map<string, Declared>();
  for (const { declarations } of sorted)
    for (const [property, declared] of declarations)
      if (declared.isImportant || !all.get(property)?.isImportant) all.set(property, declared);
  return all;
}

function* rulesOf(css: string): Generator<{ prelude: string; declarations: Declarations }> {
  const text = withoutComments(css.toLowerCase()).replaceAll(/<!--|-->/g, '');
  for (let at = 0; at < text.length;) {
    const brace = text.indexOf('{', at);
    if (brace === -1) return;
    const prelude = text.slice(at, brace).trim();
    if (prelude.includes('@')) {
      at = endOfBlock(text, brace);
      continue;
    }
    const end = text.indexOf('}', brace);
    yield {
      prelude,
      declarations: declarationsOf(text.slice(brace + 1, end === -1 ? undefined : end)),
    };
    at = end === -1 ? text.length : end + 1;
  }
}

/** After the brace that closes the one at `from`. */
function endOfBlock(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return at + 1;
  }
  return text.length;
}
