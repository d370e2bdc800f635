/** The names of the webhook formats, apart from their schema: the package of the command has no schemas. */
export const WEBHOOK_FORMATS = [
  'inlet',
  'cloudevents',
  'postmark',
  'sendgrid',
  'mailgun',
  'cloudmailin',
  'raw',
] as const;
