/** Texts of what an address or receiver stores in a bucket. */
export const storageText = {
  title: 'Files in a bucket of yours',
  none: 'none',
  noBuckets: 'Files can also be stored in a bucket of yours.',
  addOne: 'Add a bucket',
  stored: 'Stored there before the webhook',
  what: { raw: 'Raw emails', attachments: 'Attachments' },
  linkHours: 'Hours that links to the files work',
  linkHoursHint: 'At most 168; each attempt has fresh ones. Empty: no links.',
};
