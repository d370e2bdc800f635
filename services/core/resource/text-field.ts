/**
 * One line of free text: its length is counted in Unicode characters; it is well-formed and has no
 * control characters.
 */
import { z } from 'zod';

import { type FieldRule, issueOf } from '../error/app-error.ts';
import { sizeText } from '../error/issue-text.ts';

/** Line breaks and tabs included. */
const CONTROL = /\p{Cc}/u;

export const textField = ({ minChars = 0, maxChars }: { minChars?: number; maxChars: number }) =>
  z
    .string()
    .check((context) => {
      const chars = Array.from(context.value).length;
      const fault = (rule: FieldRule, text: string) =>
        context.issues.push(issueOf(rule, context.value, `must ${text}`));
      if (chars < minChars) fault('too_small', sizeText('string', 'least', minChars));
      else if (chars > maxChars) fault('too_long', sizeText('string', 'most', maxChars));
      else if (!context.value.isWellFormed() || CONTROL.test(context.value))
        // a lone surrogate has no UTF-8 form
        fault('invalid_value', 'be one line of text, without control characters');
    })
    .meta({
      format: 'single-line',
      ...(minChars > 0 && { minLength: minChars }),
      maxLength: maxChars,
    });
