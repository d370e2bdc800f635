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

type Name = (typeof WEBHOOK_FORMATS)[number];

/** Whether the body is made of the stored payload; `raw` is made of the email itself. */
export type OtherBody = Exclude<Name, 'inlet' | 'cloudevents' | 'raw'>;
export const hasOtherBody = (format: Name | undefined): format is OtherBody =>
  format !== undefined && format !== 'inlet' && format !== 'cloudevents' && format !== 'raw';
