/**
 * The operations of the REST API, from its OpenAPI document: `npm run golden` updates them.
 */
import type { CallOptions, Listing, NoFields, OperationFacts } from './operation.ts';
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
} from '../../../core/api/api-types.generated.ts';

/** The version of Inlet that this package was made for. */
export const VERSION = '0.1.0';

export type Operations = {
  /** Email addresses, and the webhook URL of each */
  addresses: {
    /**
     * Create an address: `POST /addresses`
     *
     * Needs the permission `addresses:write`.
     */
    create(fields: CreateAddressRequest, options?: CallOptions): Promise<AddressWithSecret>;
    /**
     * List addresses, newest first: `GET /addresses`
     *
     * Needs the permission `addresses:read`.
     */
    list(fields?: {
      /** number of items returned */
      limit?: number | undefined;
      /** number of items skipped */
      offset?: number | undefined;
      /** only enabled (true) or only disabled (false) addresses */
      is_enabled?: boolean | undefined;
      /** only permanent (true) or only expiring (false) addresses */
      is_permanent?: boolean | undefined;
      /** only failing (true) or only other (false) addresses */
      is_failing?: boolean | undefined;
      /** only addresses with a failing_since (true): their last attempt failed; or only others (false) */
      has_failed?: boolean | undefined;
      /** only addresses with all these labels, such as team=shop,stage=test */
      labels?: string | undefined;
      /** only addresses with this text in the address or its description */
      search?: string | undefined;
      /** also the description and the mode of each address */
      include?: "description" | undefined;
      /** only addresses with these ids, separated by commas; 100 at most */
      ids?: string | undefined;
      /** only this address, such as `orders@in.example.com` */
      address?: string | undefined;
    }, options?: CallOptions): Listing<ListAddressesResponse>;
    /**
     * Get an address; with secrets:read, it has the webhook secret: `GET /addresses/{address_id}`
     *
     * Needs the permission `addresses:read`.
     */
    get(addressId: string, fields?: NoFields, options?: CallOptions): Promise<Address>;
    /**
     * Change an address: where its webhooks go and how, what it accepts, its lifetime or its enabled state: `PATCH /addresses/{address_id}`
     *
     * Needs the permission `addresses:write`.
     */
    update(addressId: string, fields?: UpdateAddressRequest, options?: CallOptions): Promise<Address>;
    /**
     * Delete an address permanently: `DELETE /addresses/{address_id}`
     *
     * Needs the permission `addresses:write`.
     */
    delete(addressId: string, fields?: NoFields, options?: CallOptions): Promise<Deleted>;
    /**
     * Rotate the webhook secret; during the overlap, both the old and the new secret sign: `POST /addresses/{address_id}/rotate-secret`
     *
     * Needs the permission `addresses:write`.
     */
    rotateWebhookSecret(addressId: string, fields?: NoFields, options?: CallOptions): Promise<AddressWithSecret>;
    /**
     * Send a sample payload now and return the response of the receiver; no delivery is recorded: `POST /addresses/{address_id}/test`
     *
     * Needs the permission `addresses:write`.
     */
    sendTestWebhook(addressId: string, fields?: NoFields, options?: CallOptions): Promise<WebhookTest>;
    /**
     * Get the webhook secret, and how long a former one also signs; each view is an event: `GET /addresses/{address_id}/secret`
     *
     * Needs the permission `secrets:read`.
     */
    getWebhookSecret(addressId: string, fields?: NoFields, options?: CallOptions): Promise<GetWebhookSecretResponse>;
    /**
     * Make a signed reply address; programs can make them without a request, too: `POST /addresses/{address_id}/reply-addresses`
     *
     * Needs the permission `addresses:write`.
     */
    createReplyAddress(addressId: string, fields: CreateReplyAddressRequest, options?: CallOptions): Promise<CreateReplyAddressResponse>;
    /**
     * Get the key that signs reply addresses; each view is an event: `GET /addresses/{address_id}/reply-key`
     *
     * Needs the permission `secrets:read`.
     */
    getReplyKey(addressId: string, fields?: NoFields, options?: CallOptions): Promise<GetReplyKeyResponse>;
    /**
     * Rotate the key of reply addresses; during the overlap, those of both keys are accepted: `POST /addresses/{address_id}/rotate-reply-key`
     *
     * Needs the permission `addresses:write`.
     */
    rotateReplyKey(addressId: string, fields?: RotateReplyKeyRequest, options?: CallOptions): Promise<RotateReplyKeyResponse>;
  };
  /** Further webhook URLs of an address */
  receivers: {
    /**
     * Create a further receiver of an address; it has 10 at most: `POST /addresses/{address_id}/receivers`
     *
     * Needs the permission `addresses:write`.
     */
    create(addressId: string, fields: CreateReceiverRequest, options?: CallOptions): Promise<ReceiverWithSecret>;
    /**
     * List the receivers of an address: the first one, then the further ones, oldest first: `GET /addresses/{address_id}/receivers`
     *
     * Needs the permission `addresses:read`.
     */
    list(addressId: string, fields?: NoFields, options?: CallOptions): Listing<ListReceiversResponse>;
    /**
     * Get a receiver of an address: `GET /addresses/{address_id}/receivers/{receiver_id}`
     *
     * Needs the permission `addresses:read`.
     */
    get(addressId: string, receiverId: string, fields?: NoFields, options?: CallOptions): Promise<Receiver>;
    /**
     * Change the settings of a receiver; those of the first one are those of its address: `PATCH /addresses/{address_id}/receivers/{receiver_id}`
     *
     * Needs the permission `addresses:write`.
     */
    update(addressId: string, receiverId: string, fields?: UpdateReceiverRequest, options?: CallOptions): Promise<Receiver>;
    /**
     * Delete a further receiver; its waiting deliveries continue: `DELETE /addresses/{address_id}/receivers/{receiver_id}`
     *
     * Needs the permission `addresses:write`.
     */
    delete(addressId: string, receiverId: string, fields?: NoFields, options?: CallOptions): Promise<Deleted>;
    /**
     * Get the webhook secret of a receiver; each view is an event: `GET /addresses/{address_id}/receivers/{receiver_id}/secret`
     *
     * Needs the permission `secrets:read`.
     */
    getSecret(addressId: string, receiverId: string, fields?: NoFields, options?: CallOptions): Promise<GetReceiverSecretResponse>;
    /**
     * Rotate the webhook secret; during the overlap, both the old and the new secret sign: `POST /addresses/{address_id}/receivers/{receiver_id}/rotate-secret`
     *
     * Needs the permission `addresses:write`.
     */
    rotateSecret(addressId: string, receiverId: string, fields?: NoFields, options?: CallOptions): Promise<ReceiverWithSecret>;
    /**
     * Send a sample payload now and return the response of the receiver; no delivery is recorded: `POST /addresses/{address_id}/receivers/{receiver_id}/test`
     *
     * Needs the permission `addresses:write`.
     */
    sendTestToReceiver(addressId: string, receiverId: string, fields?: NoFields, options?: CallOptions): Promise<WebhookTest>;
    /** Get the public keys of a receiver whose webhooks are signed with ed25519: `GET /receivers/{receiver_id}/jwks.json` */
    getKeys(receiverId: string, fields?: NoFields, options?: CallOptions): Promise<JsonWebKeySet>;
    /**
     * Lease the next emails of a receiver with the mode pull; those that are not acknowledged come again: `GET /addresses/{address_id}/receivers/{receiver_id}/next`
     *
     * Needs the permission `deliveries:consume`.
     */
    leaseEmails(addressId: string, receiverId: string, fields?: {
      /** emails at most; a response has fewer when their payloads exceed 4 MiB */
      max?: number | undefined;
      /** longest wait for an email, in seconds */
      wait?: number | undefined;
      /** length of the leases, in seconds */
      lease?: number | undefined;
    }, options?: CallOptions): Promise<LeasedEmails>;
    /**
     * Acknowledge leased emails: their deliveries have ended: `POST /addresses/{address_id}/receivers/{receiver_id}/ack`
     *
     * Needs the permission `deliveries:consume`.
     */
    acknowledgeEmails(addressId: string, receiverId: string, fields: AcknowledgeEmailsRequest, options?: CallOptions): Promise<LeaseResult>;
    /**
     * Return leased emails: they come again as the schedule says, or have failed: `POST /addresses/{address_id}/receivers/{receiver_id}/nack`
     *
     * Needs the permission `deliveries:consume`.
     */
    returnEmails(addressId: string, receiverId: string, fields: ReturnEmailsRequest, options?: CallOptions): Promise<LeaseResult>;
    /**
     * Renew leases from now on, for work that takes longer; for 12 hours at most: `POST /addresses/{address_id}/receivers/{receiver_id}/renew`
     *
     * Needs the permission `deliveries:consume`.
     */
    renewLeases(addressId: string, receiverId: string, fields: RenewLeasesRequest, options?: CallOptions): Promise<LeaseResult>;
  };
  /** Senders that rules and filters name */
  lists: {
    /**
     * List the sender lists of the account by name: `GET /lists`
     *
     * Needs the permission `addresses:read`.
     */
    list(fields?: NoFields, options?: CallOptions): Listing<ListSenderListsResponse>;
    /**
     * Create a list of senders for rules and filters: `POST /lists`
     *
     * Needs the permission `addresses:write`.
     */
    create(fields: CreateSenderListRequest, options?: CallOptions): Promise<SenderList>;
    /**
     * Get a sender list without its entries: `GET /lists/{list_id}`
     *
     * Needs the permission `addresses:read`.
     */
    get(listId: string, fields?: NoFields, options?: CallOptions): Promise<SenderList>;
    /**
     * Change the description or the entries of a sender list; the next email is judged by them: `PATCH /lists/{list_id}`
     *
     * Needs the permission `addresses:write`.
     */
    update(listId: string, fields?: UpdateSenderListRequest, options?: CallOptions): Promise<SenderList>;
    /**
     * Delete a sender list; rules that name it then fail, and do nothing: `DELETE /lists/{list_id}`
     *
     * Needs the permission `addresses:write`.
     */
    delete(listId: string, fields?: NoFields, options?: CallOptions): Promise<Deleted>;
    /**
     * Get the entries of a sender list as text, one in each line: `GET /lists/{list_id}/entries`
     *
     * Needs the permission `addresses:read`.
     */
    export(listId: string, fields?: NoFields, options?: CallOptions): Promise<string>;
  };
  /** Your own domains, with the DNS records that they need */
  domains: {
    /**
     * Claim a domain; the response contains the DNS records to create: `POST /domains`
     *
     * Needs the permission `domains:write`.
     */
    create(fields: CreateDomainRequest, options?: CallOptions): Promise<Domain>;
    /**
     * List the domains of the account, newest first: `GET /domains`
     *
     * Needs the permission `domains:read`.
     */
    list(fields?: {
      /** number of items returned */
      limit?: number | undefined;
      /** number of items skipped */
      offset?: number | undefined;
      /** only domains with this status */
      status?: "pending" | "verified" | "failed" | undefined;
    }, options?: CallOptions): Listing<ListDomainsResponse>;
    /**
     * Get a domain with its required DNS records: `GET /domains/{domain_id}`
     *
     * Needs the permission `domains:read`.
     */
    get(domainId: string, fields?: NoFields, options?: CallOptions): Promise<Domain>;
    /**
     * Change the MTA-STS policy of a domain; `enforce` is refused while the certificate of the MX hosts does not cover each of them: `PATCH /domains/{domain_id}`
     *
     * Needs the permission `domains:write`.
     */
    update(domainId: string, fields?: UpdateDomainRequest, options?: CallOptions): Promise<Domain>;
    /**
     * Delete a domain that has no addresses: `DELETE /domains/{domain_id}`
     *
     * Needs the permission `domains:write`.
     */
    delete(domainId: string, fields?: NoFields, options?: CallOptions): Promise<Deleted>;
    /**
     * Check the DNS now: the TXT record verifies the domain permanently; the response also reports its MX records: `POST /domains/{domain_id}/verify`
     *
     * Needs the permission `domains:write`.
     */
    verify(domainId: string, fields?: NoFields, options?: CallOptions): Promise<Domain>;
  };
  /** Received emails, the attempts to deliver them, replays, and tests of rules */
  deliveries: {
    /**
     * List deliveries, newest first; an email appears within two seconds: `GET /deliveries`
     *
     * Needs the permission `deliveries:read`.
     */
    list(fields?: {
      /** number of items returned */
      limit?: number | undefined;
      /** number of items skipped */
      offset?: number | undefined;
      /** only deliveries of this address, to all its receivers */
      address_id?: string | undefined;
      /** only deliveries to this receiver: rcv_…, or the id of an address for its own */
      receiver_id?: string | undefined;
      /** only deliveries with this status; waiting: pending or retrying */
      status?: "pending" | "retrying" | "delivered" | "failed" | "held" | "dropped" | "waiting" | undefined;
      /** only emails from this sender: an address, a domain such as @example.com, or words (or beginnings, `ann*`) of the name or of the part before the @ */
      sender?: string | undefined;
      /** only emails to this mailbox: an address, a domain such as @example.com, or words (or beginnings, `ann*`) of the part before the @ */
      recipient?: string | undefined;
      /** only emails with all these words in the subject, without case: whole words, or beginnings such as `inv*` of three letters or more */
      subject?: string | undefined;
      /** only emails with all these words in the subject or in the first 64 KB of the text, as for subject; 422 where texts are not searched: see search_bodies of the account */
      text?: string | undefined;
      /** only emails with this tag, which a rule added */
      tag?: string | undefined;
      /** only emails of this conversation: the thread_id of a payload or of a delivery */
      thread?: string | undefined;
      /** only emails with an attachment; images within the HTML do not count */
      has?: "attachment" | undefined;
      /** only emails with all these problems, separated by commas: spam, spf=fail, spf=softfail, spf=neutral, spf=temperror, spf=permerror, dkim=fail, dkim=policy, dkim=neutral, dkim=temperror, dkim=permerror, dmarc=fail, dmarc=temperror, dmarc=permerror */
      verdict?: string | undefined;
      /** ISO 8601 time or date: start of the range, inclusive */
      start_date?: string | undefined;
      /** ISO 8601 time (exclusive) or date (inclusive): end of the range */
      end_date?: string | undefined;
    }, options?: CallOptions): Listing<ListDeliveriesResponse>;
    /**
     * List the newest email of each of these addresses: `GET /deliveries/newest`
     *
     * Needs the permission `deliveries:read`.
     */
    listNewest(fields: {
      /** ids of addresses, separated by commas; 100 at most */
      address_ids: string;
    }, options?: CallOptions): Listing<ListNewestDeliveriesResponse>;
    /**
     * List deliveries that wait for a retry; those that are due next come first: `GET /deliveries/due`
     *
     * Needs the permission `deliveries:read`.
     */
    listDue(fields?: {
      /** number of items returned */
      limit?: number | undefined;
      /** number of items skipped */
      offset?: number | undefined;
    }, options?: CallOptions): Listing<ListDueDeliveriesResponse>;
    /**
     * Get a delivery with its last 100 attempts: `GET /deliveries/{event_id}`
     *
     * Needs the permission `deliveries:read`.
     */
    get(eventId: string, fields?: {
      /** also the headers of the last 3 attempts, at most 4096 bytes for each */
      include?: "headers" | undefined;
    }, options?: CallOptions): Promise<Delivery>;
    /**
     * List the deliveries of the same email to all receivers of its address: `GET /deliveries/{event_id}/receivers`
     *
     * Needs the permission `deliveries:read`.
     */
    listOfEmail(eventId: string, fields?: NoFields, options?: CallOptions): Listing<ListDeliveriesOfEmailResponse>;
    /**
     * Get the JSON payload as it was last sent: `GET /deliveries/{event_id}/payload`
     *
     * Needs the permission `deliveries:read`.
     */
    getPayload(eventId: string, fields?: NoFields, options?: CallOptions): Promise<WebhookPayload>;
    /**
     * Replay a delivery that has ended, or is held, while its email is stored: `POST /deliveries/{event_id}/replay`
     *
     * Needs the permission `deliveries:decide`.
     */
    replay(eventId: string, fields?: NoFields, options?: CallOptions): Promise<Delivery>;
    /**
     * Make the next attempt of a waiting delivery due now: `POST /deliveries/{event_id}/retry`
     *
     * Needs the permission `deliveries:decide`.
     */
    retry(eventId: string, fields?: NoFields, options?: CallOptions): Promise<Delivery>;
    /**
     * End a waiting delivery as failed, without further attempts: `POST /deliveries/{event_id}/cancel`
     *
     * Needs the permission `deliveries:decide`.
     */
    cancel(eventId: string, fields?: NoFields, options?: CallOptions): Promise<Delivery>;
    /**
     * Get how long delivered emails can be replayed: `GET /deliveries/replay`
     *
     * Needs the permission `deliveries:read`.
     */
    getReplayWindow(fields?: NoFields, options?: CallOptions): Promise<GetReplayWindowResponse>;
    /**
     * Replay many deliveries, oldest first, at a constant rate: `POST /deliveries/replay`
     *
     * Needs the permission `deliveries:decide`.
     */
    replayDeliveries(fields?: ReplayDeliveriesRequest, options?: CallOptions): Promise<ReplayDeliveriesResponse>;
    /**
     * Deliver an email that rules held or dropped, to all its receivers: `POST /deliveries/{event_id}/release`
     *
     * Needs the permission `deliveries:decide`.
     */
    release(eventId: string, fields?: NoFields, options?: CallOptions): Promise<Delivery>;
    /**
     * Drop a held email: none of its receivers gets it, unless it is released later: `POST /deliveries/{event_id}/drop`
     *
     * Needs the permission `deliveries:decide`.
     */
    drop(eventId: string, fields?: NoFields, options?: CallOptions): Promise<Delivery>;
    /**
     * Submit an email that another mail server or a worker received: `POST /intake`
     *
     * Needs the permission `mail:submit`.
     */
    submitEmail(content: string | Uint8Array, fields: {
      /** recipients of the envelope, separated by commas: 100 at most */
      svc_rcpt_to: string;
      /** sender of the envelope; absent or empty for a bounce */
      svc_mail_from?: string | undefined;
      /** IP address of the mail server that sent the email: SPF is checked for it; by default the address of the client of this request */
      svc_remote_ip?: string | undefined;
      /** name of that mail server in EHLO */
      svc_helo_domain?: string | undefined;
    }, options?: CallOptions): Promise<SubmitEmailResponse>;
    /**
     * Erase the content of an email everywhere, for all receivers; a delivery that waits for a later attempt is canceled first: `DELETE /deliveries/{event_id}/content`
     *
     * Needs the permission `deliveries:erase`.
     */
    eraseContent(eventId: string, fields?: NoFields, options?: CallOptions): Promise<Delivery>;
    /**
     * Get the email of a delivery without its HTML and the contents of attachments: `GET /deliveries/{event_id}/email`
     *
     * Needs the permission `deliveries:read`.
     */
    getEmail(eventId: string, fields?: NoFields, options?: CallOptions): Promise<Email>;
    /**
     * Get the HTML body as a page that runs nothing and fetches nothing: `GET /deliveries/{event_id}/html`
     *
     * Needs the permission `deliveries:read`.
     */
    getHtml(eventId: string, fields?: NoFields, options?: CallOptions): Promise<string>;
    /**
     * Sign the stored payload again, to send it by hand to a receiver under development: `POST /deliveries/{event_id}/signature`
     *
     * Needs the permission `deliveries:decide`.
     */
    sign(eventId: string, fields?: NoFields, options?: CallOptions): Promise<SignedWebhook>;
    /**
     * Try an expression on a stored email, or on one in the request: `POST /expressions/test`
     *
     * Needs the permission `deliveries:read`.
     */
    testExpression(fields: TestExpressionRequest, options?: CallOptions): Promise<ExpressionTest>;
    /**
     * Try the present rules, or others, on a stored email or on one in the request: `POST /rules/test`
     *
     * Needs the permission `deliveries:read`.
     */
    testRules(fields: TestRulesRequest, options?: CallOptions): Promise<RulesTest>;
    /**
     * Wait for the next email of an address; 204 when none arrives in time: `GET /deliveries/wait`
     *
     * Needs the permission `deliveries:read`.
     */
    waitForDelivery(fields: {
      /** the address that receives the email */
      address_id: string;
      /** returns the oldest email received since this time, if there is one; default: now */
      since?: string | undefined;
      /** longest wait, in seconds */
      timeout?: number | undefined;
      /** waits for an email with a code; the address must extract `codes` */
      code?: boolean | undefined;
      /** waits for an email with a link; the address must extract `links` */
      link?: boolean | undefined;
      /** part of the text of the link, in any case; implies `link=true` */
      link_text?: string | undefined;
      /** host of the link, or a domain above it; implies `link=true` */
      link_host?: string | undefined;
    }, options?: CallOptions): Promise<AwaitedDelivery | undefined>;
  };
  /** Email that Inlet refused, and why */
  refusals: {
    /**
     * List refused email, the last one first; a refusal appears within five seconds: `GET /refusals`
     *
     * Needs the permission `deliveries:read`.
     */
    list(fields?: {
      /** number of items returned */
      limit?: number | undefined;
      /** number of items skipped */
      offset?: number | undefined;
      /** only refusals of this address */
      address_id?: string | undefined;
      /** only refusals of mailboxes of exactly this domain */
      domain?: string | undefined;
      /** only emails from this sender: an address, a domain such as @example.com, or words (or beginnings, `ann*`) of the name or of the part before the @ */
      sender?: string | undefined;
      /** only emails to this mailbox: an address, a domain such as @example.com, or words (or beginnings, `ann*`) of the part before the @ */
      recipient?: string | undefined;
      /** only emails with all these words in the subject, without case: whole words, or beginnings such as `inv*` of three letters or more */
      subject?: string | undefined;
      /** only refusals for this reason */
      reason?: string | undefined;
      /** ISO 8601 time or date: start of the range, inclusive */
      start_date?: string | undefined;
      /** ISO 8601 time (exclusive) or date (inclusive): end of the range */
      end_date?: string | undefined;
    }, options?: CallOptions): Listing<ListRefusalsResponse>;
    /**
     * Erase all refusals of a sender: `DELETE /refusals`
     *
     * Needs the permission `deliveries:erase`.
     */
    deleteRefusalsOfSender(fields: {
      /** an address, or a domain such as @example.com */
      sender: string;
    }, options?: CallOptions): Promise<DeleteRefusalsOfSenderResponse>;
    /**
     * Count refusals: all of the records whose last one is in the range: `GET /refusals/count`
     *
     * Needs the permission `deliveries:read`.
     */
    countRefusals(fields?: {
      /** only refusals of this address */
      address_id?: string | undefined;
      /** only refusals of mailboxes of exactly this domain */
      domain?: string | undefined;
      /** only emails from this sender: an address, a domain such as @example.com, or words (or beginnings, `ann*`) of the name or of the part before the @ */
      sender?: string | undefined;
      /** only emails to this mailbox: an address, a domain such as @example.com, or words (or beginnings, `ann*`) of the part before the @ */
      recipient?: string | undefined;
      /** only emails with all these words in the subject, without case: whole words, or beginnings such as `inv*` of three letters or more */
      subject?: string | undefined;
      /** only refusals for this reason */
      reason?: string | undefined;
      /** ISO 8601 time or date: start of the range, inclusive */
      start_date?: string | undefined;
      /** ISO 8601 time (exclusive) or date (inclusive): end of the range */
      end_date?: string | undefined;
    }, options?: CallOptions): Promise<CountRefusalsResponse>;
    /**
     * Get a refusal: `GET /refusals/{refusal_id}`
     *
     * Needs the permission `deliveries:read`.
     */
    get(refusalId: string, fields?: NoFields, options?: CallOptions): Promise<Refusal>;
    /**
     * Erase a refusal: nothing else is stored of the email: `DELETE /refusals/{refusal_id}`
     *
     * Needs the permission `deliveries:erase`.
     */
    delete(refusalId: string, fields?: NoFields, options?: CallOptions): Promise<Deleted>;
  };
  /** Events as they happen */
  stream: {
    /** Receive events as they happen, as server-sent events (text/event-stream): `GET /stream` */
    streamEvents(fields?: {
      /** only events of this address */
      address_id?: string | undefined;
      /** only deliveries to this receiver: rcv_…, or the id of an address for its own */
      receiver_id?: string | undefined;
      /** comma-separated types of events; default: all of email.received, webhook.delivered, webhook.retrying, webhook.failed, delivery.replayed, address.created, address.updated, address.deleted, address.expired, address.failing, address.recovered, address.silent, address.resumed, token.created, token.deleted */
      types?: string | undefined;
      /** sends the events since this time first, at most of the last hour, after a stream.gap for earlier ones; Last-Event-ID wins */
      since?: string | undefined;
    }, options?: CallOptions): Promise<ReadableStream<Uint8Array>>;
  };
  /** Counters of the billing period, and the audit trail */
  usage: {
    /**
     * Get the usage of the current billing period, and the limit of the plan; an email counts at its time of receipt, within two seconds: `GET /usage`
     *
     * Needs the permission `usage:read`.
     */
    get(fields?: NoFields, options?: CallOptions): Promise<Usage>;
    /**
     * Get emails and latencies by day or by hour, oldest first: `GET /usage/daily`
     *
     * Needs the permission `usage:read`.
     */
    getSeries(fields?: {
      /** number of days up to now; default: 30; by hour or for an address, the last 7 at most, which is their default */
      days?: number | undefined;
      /** hours are those of UTC, days those of the account's time zone */
      interval?: "hour" | "day" | undefined;
      /** only emails of this address */
      address_id?: string | undefined;
    }, options?: CallOptions): Promise<GetUsageSeriesResponse>;
    /**
     * List events, newest first: received emails, delivery attempts, and changes of addresses and tokens: `GET /usage/events`
     *
     * Needs the permission `usage:read`.
     */
    listEvents(fields?: {
      /** number of items returned */
      limit?: number | undefined;
      /** number of items skipped */
      offset?: number | undefined;
      /** ISO 8601 time or date: start of the range, inclusive */
      start_date?: string | undefined;
      /** ISO 8601 time (exclusive) or date (inclusive): end of the range */
      end_date?: string | undefined;
      /** only events of this type */
      event_type?: "email.received" | "email.repeated" | "email.held" | "email.dropped" | "email.lost" | "email.viewed" | "webhook.delivered" | "webhook.retrying" | "webhook.failed" | "address.created" | "address.updated" | "address.deleted" | "address.expired" | "address.failing" | "address.recovered" | "address.silent" | "address.resumed" | "address.refusing" | "address.secret_viewed" | "token.created" | "token.updated" | "token.deleted" | "member.created" | "member.updated" | "member.deleted" | "member.link_created" | "account.updated" | "delivery.replayed" | "delivery.released" | "delivery.dropped" | "delivery.erased" | "refusal.erased" | "domain.created" | "domain.verified" | "domain.updated" | "domain.deleted" | "domain.unconfirmed" | "session.created" | "session.ended" | "quota.near" | "invoice.created" | "notification.created" | "notification.updated" | "notification.deleted" | "notification.secret_viewed" | "receiver.created" | "receiver.updated" | "receiver.deleted" | "receiver.secret_viewed" | "receiver.certificate_expiring" | "list.created" | "list.updated" | "list.deleted" | "tool.called" | "bucket.created" | "bucket.updated" | "bucket.deleted" | undefined;
      /** true: only changes that people made: in the dashboard, with a token of a member, or with `inlet admin`. No emails and attempts */
      by_people?: boolean | undefined;
    }, options?: CallOptions): Listing<ListUsageEventsResponse>;
  };
  /** The subscription, its costs, and invoices */
  billing: {
    /**
     * Get the subscription, usage and cost of the current period; test mail is never billed: `GET /billing`
     *
     * Needs the permission `billing:read`.
     */
    get(fields?: NoFields, options?: CallOptions): Promise<Billing>;
    /**
     * List invoices, newest first: `GET /billing/history`
     *
     * Needs the permission `billing:read`.
     */
    listInvoices(fields?: {
      /** number of items returned */
      limit?: number | undefined;
      /** number of items skipped */
      offset?: number | undefined;
    }, options?: CallOptions): Listing<ListInvoicesResponse>;
    /**
     * Get an invoice as a PDF: `GET /billing/invoices/{invoice_id}/pdf`
     *
     * Needs the permission `billing:read`.
     */
    getInvoicePdf(invoiceId: string, fields?: NoFields, options?: CallOptions): Promise<Uint8Array>;
  };
  /** The account and its settings */
  account: {
    /**
     * Get the account of the token: `GET /account`
     *
     * Needs the permission `account:read`.
     */
    get(fields?: NoFields, options?: CallOptions): Promise<Account>;
    /**
     * Change the name, company or settings; changed retry settings apply to deliveries within 30 seconds: `PATCH /account`
     *
     * Needs the permission `account:write`.
     */
    update(fields?: UpdateAccountRequest, options?: CallOptions): Promise<Account>;
  };
  /** API tokens */
  tokens: {
    /**
     * List the API tokens of the account, live and test, newest first: `GET /account/tokens`
     *
     * Needs the permission `tokens:read`.
     */
    list(fields?: NoFields, options?: CallOptions): Listing<ListTokensResponse>;
    /**
     * Create an API token; the token is shown only in this response: `POST /account/tokens`
     *
     * Needs the permission `tokens:write`.
     */
    create(fields: CreateTokenRequest, options?: CallOptions): Promise<CreatedToken>;
    /**
     * Revoke an API token; every API process refuses it within a second. The calling token can revoke itself: `DELETE /account/tokens/{token_id}`
     *
     * Needs the permission `tokens:write`.
     */
    delete(tokenId: string, fields?: NoFields, options?: CallOptions): Promise<Deleted>;
  };
  /** The people of the account, and what each may do */
  members: {
    /**
     * List the people of the account and what each may do, newest first: `GET /account/members`
     *
     * Needs the permission `tokens:read`.
     */
    list(fields?: NoFields, options?: CallOptions): Listing<ListMembersResponse>;
    /**
     * Invite a person: the response has a single-use link, which Inlet does not send. The caller needs all permissions of the role: `POST /account/members`
     *
     * Needs the permission `tokens:write`.
     */
    invite(fields: InviteMemberRequest, options?: CallOptions): Promise<InvitedMember>;
    /**
     * Change the name or the role of a person; a role applies to their sessions immediately and to their tokens within a second: `PATCH /account/members/{member_id}`
     *
     * Needs the permission `tokens:write`.
     */
    update(memberId: string, fields?: UpdateMemberRequest, options?: CallOptions): Promise<Member>;
    /**
     * Remove a person: their sessions and tokens end with them: `DELETE /account/members/{member_id}`
     *
     * Needs the permission `tokens:write`.
     */
    delete(memberId: string, fields?: NoFields, options?: CallOptions): Promise<Deleted>;
    /**
     * Create a single-use link with which a person signs in again; an earlier one stops working: `POST /account/members/{member_id}/links`
     *
     * Needs the permission `tokens:write`.
     */
    createLink(memberId: string, fields?: CreateMemberLinkRequest, options?: CallOptions): Promise<DashboardLink>;
  };
  /** URLs that receive events of the account */
  notifications: {
    /**
     * Send events of the account to a URL, in the environment of the token: `POST /account/notifications`
     *
     * Needs the permission `account:write`.
     */
    create(fields: CreateNotificationRequest, options?: CallOptions): Promise<NotificationWithSecret>;
    /**
     * List the notifications of this environment, newest first; there are at most five: `GET /account/notifications`
     *
     * Needs the permission `account:read`.
     */
    list(fields?: NoFields, options?: CallOptions): Listing<ListNotificationsResponse>;
    /**
     * Get a notification: `GET /account/notifications/{notification_id}`
     *
     * Needs the permission `account:read`.
     */
    get(notificationId: string, fields?: NoFields, options?: CallOptions): Promise<Notification>;
    /**
     * Change the URL, types, description or enabled state of a notification: `PATCH /account/notifications/{notification_id}`
     *
     * Needs the permission `account:write`.
     */
    update(notificationId: string, fields?: UpdateNotificationRequest, options?: CallOptions): Promise<Notification>;
    /**
     * Delete a notification; its waiting deliveries fail at their next attempt: `DELETE /account/notifications/{notification_id}`
     *
     * Needs the permission `account:write`.
     */
    delete(notificationId: string, fields?: NoFields, options?: CallOptions): Promise<Deleted>;
    /**
     * Get the webhook secret of a notification; each view is an event: `GET /account/notifications/{notification_id}/secret`
     *
     * Needs the permission `secrets:read`.
     */
    getSecret(notificationId: string, fields?: NoFields, options?: CallOptions): Promise<GetNotificationSecretResponse>;
    /**
     * Rotate the webhook secret; during the overlap, both the old and the new secret sign: `POST /account/notifications/{notification_id}/rotate-secret`
     *
     * Needs the permission `account:write`.
     */
    rotateSecret(notificationId: string, fields?: NoFields, options?: CallOptions): Promise<NotificationWithSecret>;
    /**
     * Send an example now and return the response of the receiver; no delivery is recorded: `POST /account/notifications/{notification_id}/test`
     *
     * Needs the permission `account:write`.
     */
    sendTestNotification(notificationId: string, fields?: NoFields, options?: CallOptions): Promise<WebhookTest>;
    /**
     * List the deliveries of a notification, newest first; the calls on one delivery work as for emails: `GET /account/notifications/{notification_id}/deliveries`
     *
     * Needs the permission `deliveries:read`.
     */
    listDeliveries(notificationId: string, fields?: {
      /** number of items returned */
      limit?: number | undefined;
      /** number of items skipped */
      offset?: number | undefined;
      /** only deliveries with this status */
      status?: "pending" | "retrying" | "delivered" | "failed" | "held" | "dropped" | undefined;
    }, options?: CallOptions): Listing<ListNotificationDeliveriesResponse>;
    /**
     * Get a delivery of a notification with its payload and its last 100 attempts: `GET /account/notifications/{notification_id}/deliveries/{event_id}`
     *
     * Needs the permission `deliveries:read`.
     */
    getDelivery(notificationId: string, eventId: string, fields?: NoFields, options?: CallOptions): Promise<NotificationDeliveryDetails>;
  };
  /** Buckets of your own for raw emails and attachments */
  buckets: {
    /**
     * Add a bucket with an S3 API, in the environment of the token: `POST /account/buckets`
     *
     * Needs the permission `account:write`.
     */
    create(fields: CreateBucketRequest, options?: CallOptions): Promise<Bucket>;
    /**
     * List the buckets of this environment by name; there are at most ten: `GET /account/buckets`
     *
     * Needs the permission `account:read`.
     */
    list(fields?: NoFields, options?: CallOptions): Listing<ListBucketsResponse>;
    /**
     * Get a bucket without its secret key: `GET /account/buckets/{bucket_id}`
     *
     * Needs the permission `account:read`.
     */
    get(bucketId: string, fields?: NoFields, options?: CallOptions): Promise<Bucket>;
    /**
     * Change a bucket or its credentials; files that are stored stay where they are: `PATCH /account/buckets/{bucket_id}`
     *
     * Needs the permission `account:write`.
     */
    update(bucketId: string, fields?: UpdateBucketRequest, options?: CallOptions): Promise<Bucket>;
    /**
     * Remove a bucket from Inlet; its files stay, and emails for it are retried until a bucket has its name: `DELETE /account/buckets/{bucket_id}`
     *
     * Needs the permission `account:write`.
     */
    delete(bucketId: string, fields?: NoFields, options?: CallOptions): Promise<Deleted>;
    /**
     * Store a small file in the bucket and remove it again: `POST /account/buckets/{bucket_id}/test`
     *
     * Needs the permission `account:write`.
     */
    test(bucketId: string, fields?: NoFields, options?: CallOptions): Promise<TestBucketResponse>;
  };
  /** Signing in to the dashboard */
  sessions: {
    /** Create a single-use link that opens the dashboard, signed in: `POST /account/dashboard-links` */
    createDashboardLink(fields?: CreateDashboardLinkRequest, options?: CallOptions): Promise<DashboardLink>;
    /** Exchange the code of a link, or an API token, for a session cookie: `POST /sessions` */
    create(fields: CreateSessionRequest, options?: CallOptions): Promise<Session>;
    /** List the sessions of the account, newest first; without tokens:read only the session of this request, and those of the same member: `GET /sessions` */
    list(fields?: NoFields, options?: CallOptions): Listing<ListSessionsResponse>;
    /** Get the session of this request: `GET /sessions/current` */
    getCurrentSession(fields?: NoFields, options?: CallOptions): Promise<Session>;
    /** Sign out: end the session of this request: `DELETE /sessions/current` */
    deleteCurrentSession(fields?: NoFields, options?: CallOptions): Promise<Deleted>;
    /** End a session immediately; the session of somebody else needs tokens:write: `DELETE /sessions/{session_id}` */
    delete(sessionId: string, fields?: NoFields, options?: CallOptions): Promise<Deleted>;
    /** Whether the dashboard offers to sign in through an OpenID provider: `GET /sessions/oidc` */
    getSingleSignOn(fields?: NoFields, options?: CallOptions): Promise<GetSingleSignOnResponse>;
  };
  /** Raw emails and attachments behind signed links */
  files: {
    /** Get an invoice as a PDF through its signed link, the invoice_pdf of an invoice: `GET /invoice-files/{invoice_id}` */
    getLinkedInvoicePdf(invoiceId: string, fields: {
      /** Unix time at which the link expires */
      expires: number;
      /** HMAC of the link, in hex */
      signature: string;
    }, options?: CallOptions): Promise<Uint8Array>;
    /** Get the raw email of an event through a signed link: `GET /files/{event_id}/raw` */
    getRawEmail(eventId: string, fields: {
      /** Unix time at which the link expires */
      expires: number;
      /** HMAC of the link, in hex */
      signature: string;
    }, options?: CallOptions): Promise<Uint8Array>;
    /** Get an attachment of an event (index from 0) through a signed link: `GET /files/{event_id}/attachments/{index}` */
    getAttachment(eventId: string, index: string, fields: {
      /** Unix time at which the link expires */
      expires: number;
      /** HMAC of the link, in hex */
      signature: string;
    }, options?: CallOptions): Promise<Uint8Array>;
  };
};

type Facts = { [Group in keyof Operations]: Record<keyof Operations[Group], OperationFacts> };

export const OPERATIONS: Facts = {
  addresses: {
    create: { call: 'POST /addresses', body: 'application/json', isKeyed: true },
    list: { call: 'GET /addresses', maxItems: 100 },
    get: { call: 'GET /addresses/{address_id}' },
    update: { call: 'PATCH /addresses/{address_id}', body: 'application/json' },
    delete: { call: 'DELETE /addresses/{address_id}' },
    rotateWebhookSecret: { call: 'POST /addresses/{address_id}/rotate-secret', isKeyed: true },
    sendTestWebhook: { call: 'POST /addresses/{address_id}/test', isKeyed: true },
    getWebhookSecret: { call: 'GET /addresses/{address_id}/secret' },
    createReplyAddress: { call: 'POST /addresses/{address_id}/reply-addresses', body: 'application/json', isKeyed: true },
    getReplyKey: { call: 'GET /addresses/{address_id}/reply-key' },
    rotateReplyKey: { call: 'POST /addresses/{address_id}/rotate-reply-key', body: 'application/json', isKeyed: true },
  },
  receivers: {
    create: { call: 'POST /addresses/{address_id}/receivers', body: 'application/json', isKeyed: true },
    list: { call: 'GET /addresses/{address_id}/receivers', maxItems: 0 },
    get: { call: 'GET /addresses/{address_id}/receivers/{receiver_id}' },
    update: { call: 'PATCH /addresses/{address_id}/receivers/{receiver_id}', body: 'application/json' },
    delete: { call: 'DELETE /addresses/{address_id}/receivers/{receiver_id}' },
    getSecret: { call: 'GET /addresses/{address_id}/receivers/{receiver_id}/secret' },
    rotateSecret: { call: 'POST /addresses/{address_id}/receivers/{receiver_id}/rotate-secret', isKeyed: true },
    sendTestToReceiver: { call: 'POST /addresses/{address_id}/receivers/{receiver_id}/test', isKeyed: true },
    getKeys: { call: 'GET /receivers/{receiver_id}/jwks.json' },
    leaseEmails: { call: 'GET /addresses/{address_id}/receivers/{receiver_id}/next' },
    acknowledgeEmails: { call: 'POST /addresses/{address_id}/receivers/{receiver_id}/ack', body: 'application/json', isKeyed: true },
    returnEmails: { call: 'POST /addresses/{address_id}/receivers/{receiver_id}/nack', body: 'application/json', isKeyed: true },
    renewLeases: { call: 'POST /addresses/{address_id}/receivers/{receiver_id}/renew', body: 'application/json', isKeyed: true },
  },
  lists: {
    list: { call: 'GET /lists', maxItems: 0 },
    create: { call: 'POST /lists', body: 'application/json', isKeyed: true },
    get: { call: 'GET /lists/{list_id}' },
    update: { call: 'PATCH /lists/{list_id}', body: 'application/json' },
    delete: { call: 'DELETE /lists/{list_id}' },
    export: { call: 'GET /lists/{list_id}/entries', response: 'text' },
  },
  domains: {
    create: { call: 'POST /domains', body: 'application/json', isKeyed: true },
    list: { call: 'GET /domains', maxItems: 100 },
    get: { call: 'GET /domains/{domain_id}' },
    update: { call: 'PATCH /domains/{domain_id}', body: 'application/json' },
    delete: { call: 'DELETE /domains/{domain_id}' },
    verify: { call: 'POST /domains/{domain_id}/verify', isKeyed: true },
  },
  deliveries: {
    list: { call: 'GET /deliveries', maxItems: 100 },
    listNewest: { call: 'GET /deliveries/newest', maxItems: 0 },
    listDue: { call: 'GET /deliveries/due', maxItems: 100 },
    get: { call: 'GET /deliveries/{event_id}' },
    listOfEmail: { call: 'GET /deliveries/{event_id}/receivers', maxItems: 0 },
    getPayload: { call: 'GET /deliveries/{event_id}/payload' },
    replay: { call: 'POST /deliveries/{event_id}/replay', isKeyed: true },
    retry: { call: 'POST /deliveries/{event_id}/retry', isKeyed: true },
    cancel: { call: 'POST /deliveries/{event_id}/cancel', isKeyed: true },
    getReplayWindow: { call: 'GET /deliveries/replay' },
    replayDeliveries: { call: 'POST /deliveries/replay', body: 'application/json', isKeyed: true },
    release: { call: 'POST /deliveries/{event_id}/release', isKeyed: true },
    drop: { call: 'POST /deliveries/{event_id}/drop', isKeyed: true },
    submitEmail: { call: 'POST /intake', body: 'message/rfc822', headers: ['Svc-Rcpt-To', 'Svc-Mail-From', 'Svc-Remote-Ip', 'Svc-Helo-Domain'] },
    eraseContent: { call: 'DELETE /deliveries/{event_id}/content' },
    getEmail: { call: 'GET /deliveries/{event_id}/email' },
    getHtml: { call: 'GET /deliveries/{event_id}/html', response: 'text' },
    sign: { call: 'POST /deliveries/{event_id}/signature', isKeyed: true },
    testExpression: { call: 'POST /expressions/test', body: 'application/json', isKeyed: true },
    testRules: { call: 'POST /rules/test', body: 'application/json', isKeyed: true },
    waitForDelivery: { call: 'GET /deliveries/wait' },
  },
  refusals: {
    list: { call: 'GET /refusals', maxItems: 100 },
    deleteRefusalsOfSender: { call: 'DELETE /refusals' },
    countRefusals: { call: 'GET /refusals/count' },
    get: { call: 'GET /refusals/{refusal_id}' },
    delete: { call: 'DELETE /refusals/{refusal_id}' },
  },
  stream: {
    streamEvents: { call: 'GET /stream', response: 'stream' },
  },
  usage: {
    get: { call: 'GET /usage' },
    getSeries: { call: 'GET /usage/daily' },
    listEvents: { call: 'GET /usage/events', maxItems: 1000 },
  },
  billing: {
    get: { call: 'GET /billing' },
    listInvoices: { call: 'GET /billing/history', maxItems: 100 },
    getInvoicePdf: { call: 'GET /billing/invoices/{invoice_id}/pdf', response: 'bytes' },
  },
  account: {
    get: { call: 'GET /account' },
    update: { call: 'PATCH /account', body: 'application/json' },
  },
  tokens: {
    list: { call: 'GET /account/tokens', maxItems: 0 },
    create: { call: 'POST /account/tokens', body: 'application/json', isKeyed: true },
    delete: { call: 'DELETE /account/tokens/{token_id}' },
  },
  members: {
    list: { call: 'GET /account/members', maxItems: 0 },
    invite: { call: 'POST /account/members', body: 'application/json', isKeyed: true },
    update: { call: 'PATCH /account/members/{member_id}', body: 'application/json' },
    delete: { call: 'DELETE /account/members/{member_id}' },
    createLink: { call: 'POST /account/members/{member_id}/links', body: 'application/json', isKeyed: true },
  },
  notifications: {
    create: { call: 'POST /account/notifications', body: 'application/json', isKeyed: true },
    list: { call: 'GET /account/notifications', maxItems: 0 },
    get: { call: 'GET /account/notifications/{notification_id}' },
    update: { call: 'PATCH /account/notifications/{notification_id}', body: 'application/json' },
    delete: { call: 'DELETE /account/notifications/{notification_id}' },
    getSecret: { call: 'GET /account/notifications/{notification_id}/secret' },
    rotateSecret: { call: 'POST /account/notifications/{notification_id}/rotate-secret', isKeyed: true },
    sendTestNotification: { call: 'POST /account/notifications/{notification_id}/test', isKeyed: true },
    listDeliveries: { call: 'GET /account/notifications/{notification_id}/deliveries', maxItems: 100 },
    getDelivery: { call: 'GET /account/notifications/{notification_id}/deliveries/{event_id}' },
  },
  buckets: {
    create: { call: 'POST /account/buckets', body: 'application/json', isKeyed: true },
    list: { call: 'GET /account/buckets', maxItems: 0 },
    get: { call: 'GET /account/buckets/{bucket_id}' },
    update: { call: 'PATCH /account/buckets/{bucket_id}', body: 'application/json' },
    delete: { call: 'DELETE /account/buckets/{bucket_id}' },
    test: { call: 'POST /account/buckets/{bucket_id}/test', isKeyed: true },
  },
  sessions: {
    createDashboardLink: { call: 'POST /account/dashboard-links', body: 'application/json', isKeyed: true },
    create: { call: 'POST /sessions', body: 'application/json' },
    list: { call: 'GET /sessions', maxItems: 0 },
    getCurrentSession: { call: 'GET /sessions/current' },
    deleteCurrentSession: { call: 'DELETE /sessions/current' },
    delete: { call: 'DELETE /sessions/{session_id}' },
    getSingleSignOn: { call: 'GET /sessions/oidc' },
  },
  files: {
    getLinkedInvoicePdf: { call: 'GET /invoice-files/{invoice_id}', response: 'bytes' },
    getRawEmail: { call: 'GET /files/{event_id}/raw', response: 'bytes' },
    getAttachment: { call: 'GET /files/{event_id}/attachments/{index}', response: 'bytes' },
  },
};
