/**
 * One line of free text: its length is counted in Unicode characters; it is well-formed and has no
 * control characters.
 */
import { z } from 'zod';

import { issueOf } from '../app-error.ts';

/** Line breaks and tabs included. */
const CONTROL = /\p{Cc}/u;

export const textField = ({ minChars = 0, maxChars }: { minChars?: number; maxChars: number }) =>
  z
    .string()
    .check((context) => {
      const chars = Array.from(context.value).length;
      if (chars < minChars) context.issues.push(issueOf('too_small', context.value));
      else if (chars > maxChars) context.issues.push(issueOf('too_long', context.value));
      else if (!context.value.isWellFormed() || CONTROL.test(context.value))
        // a lone surrogate has no UTF-8 form
        context.issues.push(issueOf('invalid_value', context.value));
    })
    .meta({
      format: 'single-line',
      ...(minChars > 0 && { minLength: minChars }),
      maxLength: maxChars,
    });
