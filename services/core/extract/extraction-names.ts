/** What can be extracted from an email. Without a schema, so that the command does not carry zod. */
export const EXTRACTIONS = [
  'codes',
  'links',
  'markdown',
  'hidden_text',
  'invitation',
  'bounce',
  'report',
  'forwarded',
  'e_invoice',
] as const;
