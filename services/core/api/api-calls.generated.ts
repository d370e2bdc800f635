/** The calls of the REST API, from its OpenAPI document: `npm run golden` updates them. */
import type {
  Account, AcknowledgeEmailsRequest, Address, AddressWithSecret, AwaitedDelivery, Billing, Bucket,
  CountRefusalsResponse, CreateAddressRequest, CreateBucketRequest, CreateDashboardLinkRequest, CreateDomainRequest,
  CreateMemberLinkRequest, CreateNotificationRequest, CreateReceiverRequest, CreateReplyAddressRequest,
  CreateReplyAddressResponse, CreateSenderListRequest, CreateSessionRequest, CreateTokenRequest, CreatedToken,
  DashboardLink, DeleteRefusalsOfSenderResponse, Deleted, Delivery, Domain, Email, ExpressionTest,
  GetNotificationSecretResponse, GetReceiverSecretResponse, GetReplayWindowResponse, GetReplyKeyResponse,
  GetSingleSignOnResponse, GetUsageSeriesResponse, GetWebhookSecretResponse, InviteMemberRequest, InvitedMember,
  JsonWebKeySet, LeaseResult, LeasedEmails, ListAddressesResponse, ListBucketsResponse, ListDeliveriesOfEmailResponse,
  ListDeliveriesResponse, ListDomainsResponse, ListDueDeliveriesResponse, ListInvoicesResponse, ListMembersResponse,
  ListNewestDeliveriesResponse, ListNotificationDeliveriesResponse, ListNotificationsResponse, ListReceiversResponse,
  ListRefusalsResponse, ListSenderListsResponse, ListSessionsResponse, ListTokensResponse, ListUsageEventsResponse,
  Member, Notification, NotificationDeliveryDetails, NotificationWithSecret, Receiver, ReceiverWithSecret, Refusal,
  RenewLeasesRequest, ReplayDeliveriesRequest, ReplayDeliveriesResponse, ReturnEmailsRequest, RotateReplyKeyRequest,
  RotateReplyKeyResponse, RulesTest, SenderList, Session, SignedWebhook, SubmitEmailResponse, TestBucketResponse,
  TestExpressionRequest, TestRulesRequest, UpdateAccountRequest, UpdateAddressRequest, UpdateBucketRequest,
  UpdateDomainRequest, UpdateMemberRequest, UpdateNotificationRequest, UpdateReceiverRequest, UpdateSenderListRequest,
  Usage, WebhookPayload, WebhookTest,
} from './api-types.generated.ts';

export type Calls = {
  'POST /addresses': { params: unknown; query: unknown; body: CreateAddressRequest; response: AddressWithSecret };
  'GET /addresses': {
    params: unknown;
    query: { limit?: number | undefined; offset?: number | undefined; is_enabled?: boolean | undefined; is_permanent?: boolean | undefined; is_failing?: boolean | undefined; has_failed?: boolean | undefined; labels?: string | undefined; search?: string | undefined; include?: "description" | undefined; ids?: string | undefined; address?: string | undefined };
    body: undefined;
    response: ListAddressesResponse;
  };
  'GET /addresses/{address_id}': {
    params: { address_id: string };
    query: unknown;
    body: undefined;
    response: Address;
  };
  'PATCH /addresses/{address_id}': {
    params: { address_id: string };
    query: unknown;
    body: UpdateAddressRequest;
    response: Address;
  };
  'DELETE /addresses/{address_id}': {
    params: { address_id: string };
    query: unknown;
    body: undefined;
    response: Deleted;
  };
  'POST /addresses/{address_id}/rotate-secret': {
    params: { address_id: string };
    query: unknown;
    body: undefined;
    response: AddressWithSecret;
  };
  'POST /addresses/{address_id}/test': {
    params: { address_id: string };
    query: unknown;
    body: undefined;
    response: WebhookTest;
  };
  'GET /addresses/{address_id}/secret': {
    params: { address_id: string };
    query: unknown;
    body: undefined;
    response: GetWebhookSecretResponse;
  };
  'POST /addresses/{address_id}/reply-addresses': {
    params: { address_id: string };
    query: unknown;
    body: CreateReplyAddressRequest;
    response: CreateReplyAddressResponse;
  };
  'GET /addresses/{address_id}/reply-key': {
    params: { address_id: string };
    query: unknown;
    body: undefined;
    response: GetReplyKeyResponse;
  };
  'POST /addresses/{address_id}/rotate-reply-key': {
    params: { address_id: string };
    query: unknown;
    body: RotateReplyKeyRequest;
    response: RotateReplyKeyResponse;
  };
  'POST /addresses/{address_id}/receivers': {
    params: { address_id: string };
    query: unknown;
    body: CreateReceiverRequest;
    response: ReceiverWithSecret;
  };
  'GET /addresses/{address_id}/receivers': {
    params: { address_id: string };
    query: unknown;
    body: undefined;
    response: ListReceiversResponse;
  };
  'GET /addresses/{address_id}/receivers/{receiver_id}': {
    params: { address_id: string; receiver_id: string };
    query: unknown;
    body: undefined;
    response: Receiver;
  };
  'PATCH /addresses/{address_id}/receivers/{receiver_id}': {
    params: { address_id: string; receiver_id: string };
    query: unknown;
    body: UpdateReceiverRequest;
    response: Receiver;
  };
  'DELETE /addresses/{address_id}/receivers/{receiver_id}': {
    params: { address_id: string; receiver_id: string };
    query: unknown;
    body: undefined;
    response: Deleted;
  };
  'GET /addresses/{address_id}/receivers/{receiver_id}/secret': {
    params: { address_id: string; receiver_id: string };
    query: unknown;
    body: undefined;
    response: GetReceiverSecretResponse;
  };
  'POST /addresses/{address_id}/receivers/{receiver_id}/rotate-secret': {
    params: { address_id: string; receiver_id: string };
    query: unknown;
    body: undefined;
    response: ReceiverWithSecret;
  };
  'POST /addresses/{address_id}/receivers/{receiver_id}/test': {
    params: { address_id: string; receiver_id: string };
    query: unknown;
    body: undefined;
    response: WebhookTest;
  };
  'GET /receivers/{receiver_id}/jwks.json': {
    params: { receiver_id: string };
    query: unknown;
    body: undefined;
    response: JsonWebKeySet;
  };
  'GET /lists': { params: unknown; query: unknown; body: undefined; response: ListSenderListsResponse };
  'POST /lists': { params: unknown; query: unknown; body: CreateSenderListRequest; response: SenderList };
  'GET /lists/{list_id}': { params: { list_id: string }; query: unknown; body: undefined; response: SenderList };
  'PATCH /lists/{list_id}': {
    params: { list_id: string };
    query: unknown;
    body: UpdateSenderListRequest;
    response: SenderList;
  };
  'DELETE /lists/{list_id}': { params: { list_id: string }; query: unknown; body: undefined; response: Deleted };
  'GET /lists/{list_id}/entries': { params: { list_id: string }; query: unknown; body: undefined; response: unknown };
  'POST /domains': { params: unknown; query: unknown; body: CreateDomainRequest; response: Domain };
  'GET /domains': {
    params: unknown;
    query: { limit?: number | undefined; offset?: number | undefined; status?: "pending" | "verified" | "failed" | undefined };
    body: undefined;
    response: ListDomainsResponse;
  };
  'GET /domains/{domain_id}': { params: { domain_id: string }; query: unknown; body: undefined; response: Domain };
  'PATCH /domains/{domain_id}': {
    params: { domain_id: string };
    query: unknown;
    body: UpdateDomainRequest;
    response: Domain;
  };
  'DELETE /domains/{domain_id}': { params: { domain_id: string }; query: unknown; body: undefined; response: Deleted };
  'POST /domains/{domain_id}/verify': {
    params: { domain_id: string };
    query: unknown;
    body: undefined;
    response: Domain;
  };
  'GET /deliveries': {
    params: unknown;
    query: { limit?: number | undefined; offset?: number | undefined; address_id?: string | undefined; receiver_id?: string | undefined; status?: "pending" | "retrying" | "delivered" | "failed" | "held" | "dropped" | "waiting" | undefined; sender?: string | undefined; recipient?: string | undefined; subject?: string | undefined; text?: string | undefined; tag?: string | undefined; thread?: string | undefined; has?: "attachment" | undefined; verdict?: string | undefined; start_date?: string | undefined; end_date?: string | undefined };
    body: undefined;
    response: ListDeliveriesResponse;
  };
  'GET /deliveries/newest': {
    params: unknown;
    query: { address_ids: string };
    body: undefined;
    response: ListNewestDeliveriesResponse;
  };
  'GET /deliveries/due': {
    params: unknown;
    query: { limit?: number | undefined; offset?: number | undefined };
    body: undefined;
    response: ListDueDeliveriesResponse;
  };
  'GET /deliveries/{event_id}': {
    params: { event_id: string };
    query: { include?: "headers" | undefined };
    body: undefined;
    response: Delivery;
  };
  'GET /deliveries/{event_id}/receivers': {
    params: { event_id: string };
    query: unknown;
    body: undefined;
    response: ListDeliveriesOfEmailResponse;
  };
  'GET /deliveries/{event_id}/payload': {
    params: { event_id: string };
    query: unknown;
    body: undefined;
    response: WebhookPayload;
  };
  'POST /deliveries/{event_id}/replay': {
    params: { event_id: string };
    query: unknown;
    body: undefined;
    response: Delivery;
  };
  'POST /deliveries/{event_id}/retry': {
    params: { event_id: string };
    query: unknown;
    body: undefined;
    response: Delivery;
  };
  'POST /deliveries/{event_id}/cancel': {
    params: { event_id: string };
    query: unknown;
    body: undefined;
    response: Delivery;
  };
  'GET /deliveries/replay': { params: unknown; query: unknown; body: undefined; response: GetReplayWindowResponse };
  'POST /deliveries/replay': {
    params: unknown;
    query: unknown;
    body: ReplayDeliveriesRequest;
    response: ReplayDeliveriesResponse;
  };
  'POST /deliveries/{event_id}/release': {
    params: { event_id: string };
    query: unknown;
    body: undefined;
    response: Delivery;
  };
  'POST /deliveries/{event_id}/drop': {
    params: { event_id: string };
    query: unknown;
    body: undefined;
    response: Delivery;
  };
  'POST /intake': { params: unknown; query: unknown; body: undefined; response: SubmitEmailResponse };
  'DELETE /deliveries/{event_id}/content': {
    params: { event_id: string };
    query: unknown;
    body: undefined;
    response: Delivery;
  };
  'GET /refusals': {
    params: unknown;
    query: { limit?: number | undefined; offset?: number | undefined; address_id?: string | undefined; domain?: string | undefined; sender?: string | undefined; recipient?: string | undefined; subject?: string | undefined; reason?: string | undefined; start_date?: string | undefined; end_date?: string | undefined };
    body: undefined;
    response: ListRefusalsResponse;
  };
  'DELETE /refusals': {
    params: unknown;
    query: { sender: string };
    body: undefined;
    response: DeleteRefusalsOfSenderResponse;
  };
  'GET /refusals/count': {
    params: unknown;
    query: { address_id?: string | undefined; domain?: string | undefined; sender?: string | undefined; recipient?: string | undefined; subject?: string | undefined; reason?: string | undefined; start_date?: string | undefined; end_date?: string | undefined };
    body: undefined;
    response: CountRefusalsResponse;
  };
  'GET /refusals/{refusal_id}': { params: { refusal_id: string }; query: unknown; body: undefined; response: Refusal };
  'DELETE /refusals/{refusal_id}': {
    params: { refusal_id: string };
    query: unknown;
    body: undefined;
    response: Deleted;
  };
  'GET /deliveries/{event_id}/email': {
    params: { event_id: string };
    query: unknown;
    body: undefined;
    response: Email;
  };
  'GET /deliveries/{event_id}/html': {
    params: { event_id: string };
    query: unknown;
    body: undefined;
    response: unknown;
  };
  'POST /deliveries/{event_id}/signature': {
    params: { event_id: string };
    query: unknown;
    body: undefined;
    response: SignedWebhook;
  };
  'POST /expressions/test': { params: unknown; query: unknown; body: TestExpressionRequest; response: ExpressionTest };
  'POST /rules/test': { params: unknown; query: unknown; body: TestRulesRequest; response: RulesTest };
  'POST /account/notifications': {
    params: unknown;
    query: unknown;
    body: CreateNotificationRequest;
    response: NotificationWithSecret;
  };
  'GET /account/notifications': {
    params: unknown;
    query: unknown;
    body: undefined;
    response: ListNotificationsResponse;
  };
  'GET /account/notifications/{notification_id}': {
    params: { notification_id: string };
    query: unknown;
    body: undefined;
    response: Notification;
  };
  'PATCH /account/notifications/{notification_id}': {
    params: { notification_id: string };
    query: unknown;
    body: UpdateNotificationRequest;
    response: Notification;
  };
  'DELETE /account/notifications/{notification_id}': {
    params: { notification_id: string };
    query: unknown;
    body: undefined;
    response: Deleted;
  };
  'GET /account/notifications/{notification_id}/secret': {
    params: { notification_id: string };
    query: unknown;
    body: undefined;
    response: GetNotificationSecretResponse;
  };
  'POST /account/notifications/{notification_id}/rotate-secret': {
    params: { notification_id: string };
    query: unknown;
    body: undefined;
    response: NotificationWithSecret;
  };
  'POST /account/notifications/{notification_id}/test': {
    params: { notification_id: string };
    query: unknown;
    body: undefined;
    response: WebhookTest;
  };
  'GET /account/notifications/{notification_id}/deliveries': {
    params: { notification_id: string };
    query: { limit?: number | undefined; offset?: number | undefined; status?: "pending" | "retrying" | "delivered" | "failed" | "held" | "dropped" | undefined };
    body: undefined;
    response: ListNotificationDeliveriesResponse;
  };
  'GET /account/notifications/{notification_id}/deliveries/{event_id}': {
    params: { notification_id: string; event_id: string };
    query: unknown;
    body: undefined;
    response: NotificationDeliveryDetails;
  };
  'POST /account/buckets': { params: unknown; query: unknown; body: CreateBucketRequest; response: Bucket };
  'GET /account/buckets': { params: unknown; query: unknown; body: undefined; response: ListBucketsResponse };
  'GET /account/buckets/{bucket_id}': {
    params: { bucket_id: string };
    query: unknown;
    body: undefined;
    response: Bucket;
  };
  'PATCH /account/buckets/{bucket_id}': {
    params: { bucket_id: string };
    query: unknown;
    body: UpdateBucketRequest;
    response: Bucket;
  };
  'DELETE /account/buckets/{bucket_id}': {
    params: { bucket_id: string };
    query: unknown;
    body: undefined;
    response: Deleted;
  };
  'POST /account/buckets/{bucket_id}/test': {
    params: { bucket_id: string };
    query: unknown;
    body: undefined;
    response: TestBucketResponse;
  };
  'GET /account': { params: unknown; query: unknown; body: undefined; response: Account };
  'PATCH /account': { params: unknown; query: unknown; body: UpdateAccountRequest; response: Account };
  'GET /account/tokens': { params: unknown; query: unknown; body: undefined; response: ListTokensResponse };
  'POST /account/tokens': { params: unknown; query: unknown; body: CreateTokenRequest; response: CreatedToken };
  'DELETE /account/tokens/{token_id}': {
    params: { token_id: string };
    query: unknown;
    body: undefined;
    response: Deleted;
  };
  'POST /account/dashboard-links': {
    params: unknown;
    query: unknown;
    body: CreateDashboardLinkRequest;
    response: DashboardLink;
  };
  'POST /sessions': { params: unknown; query: unknown; body: CreateSessionRequest; response: Session };
  'GET /sessions': { params: unknown; query: unknown; body: undefined; response: ListSessionsResponse };
  'GET /sessions/current': { params: unknown; query: unknown; body: undefined; response: Session };
  'DELETE /sessions/current': { params: unknown; query: unknown; body: undefined; response: Deleted };
  'DELETE /sessions/{session_id}': {
    params: { session_id: string };
    query: unknown;
    body: undefined;
    response: Deleted;
  };
  'GET /account/members': { params: unknown; query: unknown; body: undefined; response: ListMembersResponse };
  'POST /account/members': { params: unknown; query: unknown; body: InviteMemberRequest; response: InvitedMember };
  'PATCH /account/members/{member_id}': {
    params: { member_id: string };
    query: unknown;
    body: UpdateMemberRequest;
    response: Member;
  };
  'DELETE /account/members/{member_id}': {
    params: { member_id: string };
    query: unknown;
    body: undefined;
    response: Deleted;
  };
  'POST /account/members/{member_id}/links': {
    params: { member_id: string };
    query: unknown;
    body: CreateMemberLinkRequest;
    response: DashboardLink;
  };
  'GET /sessions/oidc': { params: unknown; query: unknown; body: undefined; response: GetSingleSignOnResponse };
  'GET /stream': {
    params: unknown;
    query: { address_id?: string | undefined; receiver_id?: string | undefined; types?: string | undefined; since?: string | undefined };
    body: undefined;
    response: unknown;
  };
  'GET /deliveries/wait': {
    params: unknown;
    query: { address_id: string; since?: string | undefined; timeout?: number | undefined; code?: boolean | undefined; link?: boolean | undefined; link_text?: string | undefined; link_host?: string | undefined };
    body: undefined;
    response: AwaitedDelivery;
  };
  'GET /addresses/{address_id}/receivers/{receiver_id}/next': {
    params: { address_id: string; receiver_id: string };
    query: { max?: number | undefined; wait?: number | undefined; lease?: number | undefined };
    body: undefined;
    response: LeasedEmails;
  };
  'POST /addresses/{address_id}/receivers/{receiver_id}/ack': {
    params: { address_id: string; receiver_id: string };
    query: unknown;
    body: AcknowledgeEmailsRequest;
    response: LeaseResult;
  };
  'POST /addresses/{address_id}/receivers/{receiver_id}/nack': {
    params: { address_id: string; receiver_id: string };
    query: unknown;
    body: ReturnEmailsRequest;
    response: LeaseResult;
  };
  'POST /addresses/{address_id}/receivers/{receiver_id}/renew': {
    params: { address_id: string; receiver_id: string };
    query: unknown;
    body: RenewLeasesRequest;
    response: LeaseResult;
  };
  'GET /usage': { params: unknown; query: unknown; body: undefined; response: Usage };
  'GET /usage/daily': {
    params: unknown;
    query: { days?: number | undefined; interval?: "hour" | "day" | undefined; address_id?: string | undefined };
    body: undefined;
    response: GetUsageSeriesResponse;
  };
  'GET /usage/events': {
    params: unknown;
    query: { limit?: number | undefined; offset?: number | undefined; start_date?: string | undefined; end_date?: string | undefined; event_type?: "email.received" | "email.repeated" | "email.held" | "email.dropped" | "email.lost" | "email.viewed" | "webhook.delivered" | "webhook.retrying" | "webhook.failed" | "address.created" | "address.updated" | "address.deleted" | "address.expired" | "address.failing" | "address.recovered" | "address.silent" | "address.resumed" | "address.refusing" | "address.secret_viewed" | "token.created" | "token.updated" | "token.deleted" | "member.created" | "member.updated" | "member.deleted" | "member.link_created" | "account.updated" | "delivery.replayed" | "delivery.released" | "delivery.dropped" | "delivery.erased" | "refusal.erased" | "domain.created" | "domain.verified" | "domain.updated" | "domain.deleted" | "domain.unconfirmed" | "session.created" | "session.ended" | "quota.near" | "invoice.created" | "notification.created" | "notification.updated" | "notification.deleted" | "notification.secret_viewed" | "receiver.created" | "receiver.updated" | "receiver.deleted" | "receiver.secret_viewed" | "receiver.certificate_expiring" | "list.created" | "list.updated" | "list.deleted" | "tool.called" | "bucket.created" | "bucket.updated" | "bucket.deleted" | undefined; by_people?: boolean | undefined };
    body: undefined;
    response: ListUsageEventsResponse;
  };
  'GET /billing': { params: unknown; query: unknown; body: undefined; response: Billing };
  'GET /billing/history': {
    params: unknown;
    query: { limit?: number | undefined; offset?: number | undefined };
    body: undefined;
    response: ListInvoicesResponse;
  };
  'GET /billing/invoices/{invoice_id}/pdf': {
    params: { invoice_id: string };
    query: unknown;
    body: undefined;
    response: unknown;
  };
  'GET /invoice-files/{invoice_id}': {
    params: { invoice_id: string };
    query: { expires: number; signature: string };
    body: undefined;
    response: unknown;
  };
  'GET /files/{event_id}/raw': {
    params: { event_id: string };
    query: { expires: number; signature: string };
    body: undefined;
    response: unknown;
  };
  'GET /files/{event_id}/attachments/{index}': {
    params: { event_id: string; index: string };
    query: { expires: number; signature: string };
    body: undefined;
    response: unknown;
  };
};
