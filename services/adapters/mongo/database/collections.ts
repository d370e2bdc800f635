/** Every collection of Inlet, and which of them a backup has. */

/** What ends within hours: a restore would not bring back a browser that is signed in. */
const SHORT_LIVED = ['dashboard_links', 'idempotency_keys', 'rate_windows', 'sessions'] as const;

export const BACKED_UP: readonly string[] = [
  'account_keys',
  'accounts',
  'address_names',
  'addresses',
  'audit_exports',
  'buckets',
  'deliveries',
  'domain_turns',
  'domains',
  'email_marks',
  'events',
  'invoices',
  'known_authors',
  'members',
  'notification_deliveries',
  'notifications',
  'receivers',
  'refusals',
  'revisions',
  'sender_lists',
  'tokens',
  'usage_daily',
];

export const COLLECTIONS: readonly string[] = [...BACKED_UP, ...SHORT_LIVED];
