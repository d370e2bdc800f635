/** What the operator of the installation adds to invoices. */
import { z } from 'zod';

const Text = z.string().max(400).default('');

export const InvoiceTexts = z.strictObject({
  seller: Text.describe('name, address and tax number of the seller, in lines'),
  note: Text.describe('below the total, in lines, such as terms of payment'),
  due_days: z
    .number()
    .int()
    .min(0)
    .max(365)
    .default(0)
    .describe('an open invoice is due so many days after its date; 0 for no due date'),
});
export type InvoiceTexts = z.output<typeof InvoiceTexts>;
