/** All stores of MongoDB: plain functions, made once in each process. */
import type { Db } from 'mongodb';

import { accountIndexes, createAccounts } from './account/accounts.ts';
import { createAccountKeys } from './account/account-keys.ts';
import { createAccountContents } from './account/account-contents.ts';
import { createCredentialRevision } from './token/credential-revision.ts';
import { createInvoices, invoiceIndexes } from './billing/invoices.ts';
import { createMembers, memberIndexes } from './member/members.ts';
import { createSubscriptions } from './billing/subscriptions.ts';
import { createTokens } from './token/tokens.ts';
import { tokenIndexes } from './documents/token-documents.ts';
import { createAddressClaims } from './address/address-claims.ts';
import { createRecipientLookup, createTargetLookup } from './address/address-lookup.ts';
import { createAddresses } from './address/addresses.ts';
import { createDomains } from './domain/domains.ts';
import { createExpiryEvents } from './address/expired-addresses.ts';
import { createSilentAddresses } from './address/silent-addresses.ts';
import { createKnownAuthors, knownAuthorIndexes } from './address/known-authors.ts';
import { createSenderLists } from './list/sender-lists.ts';
import { createFailingAddresses } from './address/failing-addresses.ts';
import { createAuditExports } from './audit/export-cursor.ts';
import { createUsageEventList } from './audit/event-list.ts';
import { createUsageEvents, usageEventIndexes } from './audit/events.ts';
import { createEmailViews } from './audit/email-views.ts';
import { createRecentEvents } from './audit/recent-events.ts';
import { createDeliveries } from './delivery/deliveries.ts';
import { emailMarkIndexes } from './delivery/marks.ts';
import {
  bucketIndexes,
  notificationIndexes,
  senderListIndexes,
} from './documents/owned-documents.ts';
import { addressIndexes } from './documents/address-documents.ts';
import { deliveryIndexes, notificationDeliveryIndexes } from './documents/delivery-documents.ts';
import { domainIndexes } from './documents/domain-documents.ts';
import { receiverIndexes } from './documents/receiver-documents.ts';
import { createIdempotencyKeys, idempotencyIndexes } from './limit/idempotency.ts';
import { createRateWindows, type RateLimits, rateWindowIndexes } from './limit/rate-windows.ts';
import { createNotifications } from './notification/notifications.ts';
import { createOutbox } from './notification/outbox.ts';
import { createBuckets } from './bucket/buckets.ts';
import { createRefusals } from './refusal/refusal-list.ts';
import { createRefusingMailboxes, refusalIndexes } from './refusal/refusals.ts';
import { createExpiringCertificates } from './receiver/expiring-certificates.ts';
import { createReceivers } from './receiver/receivers.ts';
import { createReceiversInScope } from './receiver/receiver-ids.ts';
import type { SecretBox } from './database/secrets.ts';
import { createDashboardLinks, dashboardLinkIndexes } from './session/dashboard-links.ts';
import { createSessions, sessionIndexes } from './session/sessions.ts';
import { createCountUsage, createMailedAccounts, usageIndexes } from './usage/counters.ts';
import { createReadUsage } from './usage/usage.ts';
import { createReadUsageSeries } from './usage/usage-series.ts';

/** The indexes of each collection. A service creates them for the collections that it queries. */
export const INDEXES = {
  accounts: accountIndexes,
  addresses: addressIndexes,
  buckets: bucketIndexes,
  dashboardLinks: dashboardLinkIndexes,
  deliveries: deliveryIndexes,
  domains: domainIndexes,
  emailMarks: emailMarkIndexes,
  events: usageEventIndexes,
  idempotencyKeys: idempotencyIndexes,
  invoices: invoiceIndexes,
  knownAuthors: knownAuthorIndexes,
  members: memberIndexes,
  notificationDeliveries: notificationDeliveryIndexes,
  notifications: notificationIndexes,
  rateWindows: rateWindowIndexes,
  refusals: refusalIndexes,
  receivers: receiverIndexes,
  senderLists: senderListIndexes,
  sessions: sessionIndexes,
  tokens: tokenIndexes,
  usage: usageIndexes,
};

/** The stores that need no key. */
export const createStores = (db: Db) => ({
  accounts: createAccounts(db),
  accountContents: createAccountContents(db),
  addExpiryEvents: createExpiryEvents(db),
  auditExports: createAuditExports(db),
  countUsage: createCountUsage(db),
  credentialRevision: createCredentialRevision(db),
  deliveries: createDeliveries(db),
  domains: createDomains(db),
  events: createUsageEvents(db),
  expiringCertificates: createExpiringCertificates(db),
  failingAddresses: createFailingAddresses(db),
  invoices: createInvoices(db),
  knownAuthors: createKnownAuthors(db),
  links: createDashboardLinks(db),
  members: createMembers(db),
  mailedAccounts: createMailedAccounts(db),
  rateWindows: (limits: RateLimits) => createRateWindows(db, limits),
  pageOfEvents: createUsageEventList(db),
  readUsage: createReadUsage(db),
  readUsageSeries: createReadUsageSeries(db),
  receiversInScope: createReceiversInScope(db),
  recentEvents: createRecentEvents(db),
  emailViews: createEmailViews(db),
  recipients: createRecipientLookup(db),
  refusals: createRefusals(db),
  refusingMailboxes: createRefusingMailboxes(db),
  senderLists: createSenderLists(db),
  sessions: createSessions(db),
  silentAddresses: createSilentAddresses(db),
  subscriptions: createSubscriptions(db),
  tokens: createTokens(db),
});

/** All stores, in a process that has the keys of the secrets. */
export function createStoresWithSecrets(db: Db, secrets: SecretBox) {
  const addresses = createAddresses(db, secrets);
  const notifications = createNotifications(db, secrets);
  return {
    ...createStores(db),
    accountKeys: createAccountKeys(db, secrets),
    addresses,
    buckets: createBuckets(db, secrets),
    nameClaims: createAddressClaims(db, addresses),
    idempotencyKeys: createIdempotencyKeys(db, secrets),
    notifications,
    outbox: createOutbox(db, notifications),
    receivers: createReceivers(db, secrets),
    target: createTargetLookup(db, secrets),
  };
}

export type Stores = ReturnType<typeof createStoresWithSecrets>;
