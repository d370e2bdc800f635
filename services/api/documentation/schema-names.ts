/** The names of schemas in the OpenAPI document. Generated clients name their types after them. */
import { z } from 'zod';

import { AccountSettings, AccountView } from '../../core/account/account.ts';
import { AddressListItem, AddressView, PayloadSettings } from '../../core/address/address.ts';
import { Environment } from '../../core/environment.ts';
import { BillingView, SubscriptionStatus } from '../../core/billing/billing.ts';
import { DomainProblem, DomainView } from '../../core/address/domain.ts';
import { InvoiceView } from '../../core/billing/invoice.ts';
import { ManagedByView } from '../../core/address/managed-by.ts';
import {
  NotificationType,
  NotificationView,
  NotificationWithSecret,
} from '../../core/notification/notification.ts';
import { Permission } from '../../core/account/permission.ts';
import { CreatedLink, SessionView } from '../../core/account/session.ts';
import { CreatedToken, TokenListItem } from '../../core/account/token.ts';
import { UsageEventView } from '../../core/event/usage-event.ts';
import { UsageIntervalView, UsageTotalView } from '../../core/usage/usage-series.ts';
import { UsageView } from '../../core/usage/usage.ts';
import { AttemptView, DeliveryListItem, DeliveryView } from '../../core/delivery/delivery-view.ts';
import { LiveEventView } from '../../core/event/live-event.ts';
import {
  NotificationDelivery,
  NotificationDeliveryView,
} from '../../core/notification/notification-delivery.ts';
import {
  NOTIFICATION_PAYLOADS,
  NotificationPayload,
} from '../../core/notification/notification-payload.ts';
import { Authentication } from '../../core/mail/authentication.ts';
import { EmailView } from '../../core/webhook/email-view.ts';
import { Attachment, ParseWarning, WebhookPayload } from '../../core/webhook/payload.ts';
import { Spam } from '../../core/mail/spam.ts';
import { Pagination } from '../../core/pagination.ts';
import { SignedWebhook } from '../deliveries/email-endpoints.ts';
import { WebhookTestView } from '../addresses/webhook-tests.ts';
import { Deleted } from '../http/endpoint.ts';
import { ErrorBody } from '../http/errors.ts';

/** These are part of the contract: a renamed schema breaks programs that use a generated client. */
const NAMED: Readonly<Record<string, z.ZodType>> = {
  Account: AccountView,
  AccountSettings,
  Address: AddressView,
  AddressListItem,
  Attachment,
  Attempt: AttemptView,
  Authentication,
  Billing: BillingView,
  CreatedToken,
  DashboardLink: CreatedLink,
  Deleted,
  Delivery: DeliveryView,
  DeliveryListItem,
  Domain: DomainView,
  DomainProblem,
  Email: EmailView,
  Environment,
  Error: ErrorBody,
  Invoice: InvoiceView,
  LiveEvent: LiveEventView,
  ManagedBy: ManagedByView,
  Notification: NotificationView,
  NotificationDelivery,
  NotificationDeliveryDetails: NotificationDeliveryView,
  NotificationPayload,
  ...NOTIFICATION_PAYLOADS,
  NotificationType,
  NotificationWithSecret,
  Pagination,
  ParseWarning,
  PayloadSettings,
  Permission,
  Session: SessionView,
  SignedWebhook,
  Spam,
  SubscriptionStatus,
  Token: TokenListItem,
  Usage: UsageView,
  UsageEvent: UsageEventView,
  UsageInterval: UsageIntervalView,
  UsageTotal: UsageTotalView,
  WebhookPayload,
  WebhookTest: WebhookTestView,
};

const NAME_OF = new Map<unknown, string>(
  Object.entries(NAMED).map(([name, schema]) => [schema, name]),
);

export const nameOf = (schema: z.ZodType): string | undefined => NAME_OF.get(schema);
