/** The types of the REST API, from its OpenAPI document: `npm run golden` updates them. */

export type Account = { id: string; email: string; name: string; company: string; plan: string; created_at: string; settings: AccountSettings };

export type AccountSettings = { timezone: string; webhook_retry_attempts: number; default_ttl_hours: number; disable_failing_addresses: boolean; retention_hours: number | null; redact: ("subject" | "from")[]; refuse_infected: boolean; search_bodies: boolean; record_views: boolean; rules: (Rule)[]; hook: Hook | null };

export type AcknowledgeEmailsRequest = { lease_ids: (string)[] };

export type Address = { id: string; address: string; webhook_url: string | null; webhook_secret: string | null; is_enabled: boolean; is_permanent: boolean; expires_at: string | null; email_count: number; description: string | null; created_at: string; updated_at: string; webhook_enabled: boolean; mode: WebhookMode; when: string | null; format: WebhookFormat; signing: WebhookSigning; public_key: string | null; auth: ReceiverAuthView | null; payload: PayloadSettings; spam_refuse_above: number | null; allowed_senders: { senders: (string)[]; require_authenticated: boolean; accept_forwarded: boolean } | null; refuse_infected: boolean | null; allowed_attachments: { types: (string)[] | null; max_bytes: number | null } | null; max_per_hour: number | null; labels: { [name: string]: string }; rules: (Rule)[]; hook: Hook | null; expect: Expectation | null; silent_since: string | null; reply_addresses: boolean; reply_only: boolean; retention_hours: number | null; redact: ("subject" | "from")[] | null; is_failing: boolean; failing_since: string | null; former_secrets_valid_until: string | null; managed_by: ManagedBy | null };

export type AddressListItem = { id: string; address: string; webhook_url: string | null; is_enabled: boolean; is_permanent: boolean; email_count: number; created_at: string; description?: string | null | undefined };

export type AddressWithSecret = { id: string; address: string; webhook_url: string | null; webhook_secret: string | null; is_enabled: boolean; is_permanent: boolean; expires_at: string | null; email_count: number; description: string | null; created_at: string; updated_at: string; webhook_enabled: boolean; mode: WebhookMode; when: string | null; format: WebhookFormat; signing: WebhookSigning; public_key: string | null; auth: ReceiverAuthView | null; payload: PayloadSettings; spam_refuse_above: number | null; allowed_senders: { senders: (string)[]; require_authenticated: boolean; accept_forwarded: boolean } | null; refuse_infected: boolean | null; allowed_attachments: { types: (string)[] | null; max_bytes: number | null } | null; max_per_hour: number | null; labels: { [name: string]: string }; rules: (Rule)[]; hook: Hook | null; expect: Expectation | null; silent_since: string | null; reply_addresses: boolean; reply_only: boolean; retention_hours: number | null; redact: ("subject" | "from")[] | null; is_failing: boolean; failing_since: string | null; former_secrets_valid_until: string | null; managed_by: ManagedBy | null };

export type AllowedSenders = { senders: (string)[]; require_authenticated?: boolean | undefined; accept_forwarded?: boolean | undefined };

export type Attachment = { filename: string; content_type: string; size_bytes: number; content: string | null; content_url?: string | undefined; content_id: string | null; method: string | null };

export type Attempt = { time: string; outcome: "accepted" | "refused" | "busy" | "unreachable" | "storage_failed" | "blocked"; status_code: number | null; latency_ms: number; error: string | null; excerpt: string | null; location: string | null };

export type Authentication = { spf: { result: "none" | "neutral" | "pass" | "fail" | "softfail" | "temperror" | "permerror"; domain: string | null; reason: string | null }; dkim: ({ result: "pass" | "fail" | "policy" | "neutral" | "temperror" | "permerror"; domain: string; selector: string; aligned: boolean; signed_headers?: (string)[] | undefined; unsigned_body_bytes?: number | undefined; warnings?: (string)[] | undefined; reason: string | null })[]; dmarc: { result: "none" | "pass" | "fail" | "temperror" | "permerror"; domain: string | null; policy: "none" | "quarantine" | "reject" | null; alignment: { spf: boolean; dkim: boolean }; override: { reason: "trusted_arc"; sealer: string } | null; reason: string | null }; arc: { result: "none" | "pass" | "fail" | "temperror"; chain: ({ instance: number; sealer: string; dmarc: string | null; header_from?: string | null | undefined })[]; reason: string | null }; iprev: { result: "pass" | "fail" | "temperror" | "permerror"; name: string | null } };

export type AwaitedDelivery = { event_id: string; address_id: string; receiver_id: string; email_id: string; status: "pending" | "retrying" | "delivered" | "failed" | "held" | "dropped"; outcome: "accepted" | "refused" | "busy" | "unreachable" | "storage_failed" | "blocked" | "canceled" | "lost" | "expired" | "backlog_full" | "no_url" | "disabled" | "filtered" | null; mail_from: string; recipient: string | null; from: string | null; subject: string | null; size_bytes: number; received_at: string; next_attempt_at: string | null; updated_at: string; content_erased_at: string | null; attempt_count: number; status_code: number | null; error: string | null; tags: (string)[]; thread_id: string | null; trace_id: string; filter_error: string | null; ruling: Ruling | null; released_at: string | null; history: ({ time: string; did: "held" | "released" | "dropped" | "replayed" | "retried" | "canceled"; actor: "member" | "user" | "token" | "operator" | "resource" | "inlet"; by: string | null })[]; storage: { name: string; endpoint: string; bucket: string; keys: (string)[]; deletion: "under_way" | "gave_up" | null } | null; attempts: (DeliveryAttempt)[]; code?: string | undefined; link?: string | undefined };

export type Billing = { subscription: { plan: string; status: SubscriptionStatus; current_period_start: string; current_period_end: string; trial_end: string | null }; usage: { emails_included: number; emails_used: number; emails_remaining: number }; costs: { base_cost: number; overage_cost: number; total_cost: number; projected_cost: number; currency: string }; next_billing_date: string };

export type Bucket = { id: string; name: string; endpoint: string; bucket: string; region: string; prefix: string; addressing: "path" | "host"; access_key_id: string; description: string | null; created_at: string; updated_at: string; managed_by: ManagedBy | null };

export type ClientCertificate = { certificate: string; private_key: string };

export type CompareRulesRequest = { rules?: (RuleRequest)[] | undefined; account_rules?: (RuleRequest)[] | undefined; address_id?: string | undefined; last?: number | undefined };

export type CreateAddressRequest = { local_part?: string | undefined; domain?: string | undefined; webhook_url: string | null; mode?: WebhookMode | undefined; when?: string | null | undefined; format?: WebhookFormat | undefined; signing?: WebhookSigning | undefined; auth?: ReceiverAuth | null | undefined; webhook_enabled?: boolean | undefined; is_permanent?: boolean | undefined; ttl_hours?: number | undefined; payload?: { attachments?: "inline" | "omit" | "url" | undefined; raw?: boolean | undefined; extract?: ("codes" | "links" | "markdown" | "hidden_text" | "invitation" | "bounce" | "report" | "forwarded" | "e_invoice")[] | undefined; storage?: { bucket: string; what: ("raw" | "attachments")[]; link_hours?: number | null | undefined } | null | undefined } | undefined; description?: string | undefined; spam_refuse_above?: number | null | undefined; allowed_senders?: AllowedSenders | null | undefined; refuse_infected?: boolean | null | undefined; allowed_attachments?: { types?: (string)[] | null | undefined; max_bytes?: number | null | undefined } | null | undefined; max_per_hour?: number | null | undefined; labels?: { [name: string]: string } | undefined; rules?: (RuleRequest)[] | undefined; hook?: { url: string; when?: string | null | undefined; timeout_ms?: number | undefined; on_error?: "accept" | "defer" | undefined } | null | undefined; expect?: { every: string; when?: string | null | undefined; grace?: string | undefined } | null | undefined; reply_addresses?: boolean | undefined; reply_only?: boolean | undefined; retention_hours?: number | null | undefined; redact?: ("subject" | "from")[] | null | undefined };

export type CreateBucketRequest = { name: string; endpoint: string; bucket: string; region?: string | undefined; prefix?: string | undefined; addressing?: "path" | "host" | undefined; description?: string | null | undefined; credentials: { access_key_id: string; secret_access_key: string } };

export type CreateDashboardLinkRequest = { permissions?: (Permission)[] | undefined; environment?: Environment | undefined; expires_in_seconds?: number | undefined };

export type CreateDomainRequest = { domain: string };

export type CreateMemberLinkRequest = { link_expires_in_seconds?: number | undefined };

export type CreateNotificationRequest = { url: string; types?: (NotificationType)[] | null | undefined; description?: string | null | undefined; is_enabled?: boolean | undefined };

export type CreateReceiverRequest = { url?: string | null | undefined; description?: string | null | undefined; is_enabled?: boolean | undefined; payload?: { attachments?: "inline" | "omit" | "url" | undefined; raw?: boolean | undefined; extract?: ("codes" | "links" | "markdown" | "hidden_text" | "invitation" | "bounce" | "report" | "forwarded" | "e_invoice")[] | undefined; storage?: { bucket: string; what: ("raw" | "attachments")[]; link_hours?: number | null | undefined } | null | undefined } | undefined; mode?: WebhookMode | undefined; when?: string | null | undefined; format?: WebhookFormat | undefined; signing?: WebhookSigning | undefined; auth?: ReceiverAuth | null | undefined };

export type CreateReplyAddressRequest = { reference: string; ttl_hours?: number | undefined; sender?: string | undefined };

export type CreateReplyAddressResponse = { address: string; reference: string; expires_at: string; sender: string | null };

export type CreateSenderListRequest = { name: string; description?: string | undefined; entries?: (string)[] | undefined };

export type CreateSessionRequest = { code?: string | undefined; token?: string | undefined; switch_account?: boolean | undefined };

export type CreateTokenRequest = { name: string; permissions?: (Permission)[] | undefined; address_ids?: (string)[] | null | undefined; labels?: { [name: string]: string } | null | undefined; environment?: Environment | undefined; expires_at?: string | null | undefined };

export type CreatedToken = { id: string; name: string; prefix: string; environment: Environment; permissions: (Permission)[]; address_ids: (string)[] | null; labels: { [name: string]: string } | null; member_id: string | null; created_at: string; expires_at: string | null; token: string };

export type DashboardLink = { url: string; expires_at: string };

export type Deleted = { id: string; deleted: true };

export type DeliverabilityCheck = { kind: "mta_sts" | "mta_sts_host" | "tls_rpt" | "dmarc" | "mx_reachable" | "mx_certificate" | "dane"; status: "ok" | "missing" | "wrong" | "unknown" | "off"; message: string; record: { type: "TXT" | "CNAME" | "TLSA"; name: string; value: string } | null; found: (string)[] };

export type Delivery = { event_id: string; address_id: string; receiver_id: string; email_id: string; status: "pending" | "retrying" | "delivered" | "failed" | "held" | "dropped"; outcome: "accepted" | "refused" | "busy" | "unreachable" | "storage_failed" | "blocked" | "canceled" | "lost" | "expired" | "backlog_full" | "no_url" | "disabled" | "filtered" | null; mail_from: string; recipient: string | null; from: string | null; subject: string | null; size_bytes: number; received_at: string; next_attempt_at: string | null; updated_at: string; content_erased_at: string | null; attempt_count: number; status_code: number | null; error: string | null; tags: (string)[]; thread_id: string | null; trace_id: string; filter_error: string | null; ruling: Ruling | null; released_at: string | null; history: ({ time: string; did: "held" | "released" | "dropped" | "replayed" | "retried" | "canceled"; actor: "member" | "user" | "token" | "operator" | "resource" | "inlet"; by: string | null })[]; storage: { name: string; endpoint: string; bucket: string; keys: (string)[]; deletion: "under_way" | "gave_up" | null } | null; attempts: (DeliveryAttempt)[] };

export type DeliveryAttempt = { time: string; outcome: "accepted" | "refused" | "busy" | "unreachable" | "storage_failed" | "blocked"; status_code: number | null; latency_ms: number; error: string | null; excerpt: string | null; location: string | null; request_headers?: (Header)[] | null | undefined; response_headers?: (Header)[] | null | undefined };

export type DeliveryListItem = { event_id: string; address_id: string; receiver_id: string; email_id: string; status: "pending" | "retrying" | "delivered" | "failed" | "held" | "dropped"; outcome: "accepted" | "refused" | "busy" | "unreachable" | "storage_failed" | "blocked" | "canceled" | "lost" | "expired" | "backlog_full" | "no_url" | "disabled" | "filtered" | null; mail_from: string; recipient: string | null; from: string | null; subject: string | null; size_bytes: number; received_at: string; next_attempt_at: string | null; updated_at: string; content_erased_at: string | null; attempt_count: number; status_code: number | null; error: string | null; tags: (string)[]; thread_id: string | null };

export type Domain = { id: string; domain: string; unicode_domain: string; is_verified: boolean; status: "pending" | "verified" | "failed"; problem: DomainProblem | null; verification: { type: "TXT"; name: string; value: string; found: (string)[] }; mx: { expected: (string)[]; found: (string)[]; is_ok: boolean }; can_connect: boolean; mta_sts: MtaStsMode; deliverability: { checked_at: string | null; checks: (DeliverabilityCheck)[] }; created_at: string; verified_at: string | null; checked_at: string | null; managed_by: ManagedBy | null };

export type DomainConnect = { dns_host: string | null; url: string | null; replaces: (string)[] };

export type DomainProblem = "txt_missing" | "txt_differs" | "dns_unavailable" | "taken";

export type Email = { event_id: string; address_id: string; timestamp: string; recipient: string | null; recipients: (string)[]; envelope: { mail_from: string; rcpt_to: (string)[]; helo_domain: string; remote_ip: string }; headers: { from: string | null; to: string | null; cc: string | null; bcc: string | null; subject: string | null; date: string | null; message_id: string | null; in_reply_to: string | null; references: string | null; reply_to: string | null; all: ({ name: string; value: string })[] }; content: { text: string | null; size_bytes: number; raw_url?: string | undefined; is_cut: boolean; has_html: boolean }; attachments: ({ filename: string; content_type: string; size_bytes: number; content_url?: string | undefined; content_id: string | null; method: string | null })[]; spam: Spam; virus?: Virus | undefined; authentication: Authentication | null; plus_tag: string | null; reply?: Reply | undefined; thread_id?: string | undefined; auto_submitted: boolean; is_bounce: boolean; is_list: boolean; reply_text: string | null; parse_warnings: (ParseWarning)[]; signature?: MailSignature | undefined; encrypted?: "smime" | "pgp" | undefined; tags?: (string)[] | undefined; extracted?: Extracted | undefined; metadata: { received_at: string; processing_time_ms: number; storage?: { name: string; endpoint: string; bucket: string; raw?: { key: string; sha256: string; size_bytes: number; url?: string | undefined } | undefined; attachments?: ({ key: string; sha256: string; size_bytes: number; url?: string | undefined })[] | undefined; urls_expire_at?: string | undefined } | undefined; retry_count: number }; is_test?: boolean | undefined };

export type Environment = "live" | "test";

export type Error = { error: "bad_request" | "invalid_json" | "unauthorized" | "forbidden" | "https_required" | "not_found" | "method_not_allowed" | "request_timeout" | "conflict" | "payload_too_large" | "unsupported_media_type" | "validation_failed" | "rate_limit_exceeded" | "headers_too_large" | "internal_error" | "unavailable"; message: string; details?: { field: string; code: "required" | "invalid_type" | "invalid_url" | "not_https" | "not_public" | "too_small" | "too_big" | "too_long" | "unknown_field" | "conflict" | "invalid_value"; position?: number | undefined } | undefined; retry_after?: number | undefined; recipients?: (RecipientResult)[] | undefined };

export type EvaluatedRule = { name: string; scope: "account" | "address"; action: "refuse" | "drop" | "hold" | "tag"; result: "matched" | "not_matched" | "failed"; error: string | null; is_built_in?: true | undefined };

export type Expectation = { every: string; when: string | null; grace: string };

export type ExpressionTest = { result: boolean | null; error: { message: string; position: number } | null; warnings: (string)[] };

export type Extracted = { codes?: (ExtractedCode)[] | undefined; links?: (ExtractedLink)[] | undefined; markdown?: string | undefined; hidden_text?: ExtractedHiddenText | null | undefined; invitation?: ExtractedInvitation | null | undefined; bounce?: ExtractedBounce | null | undefined; report?: ExtractedReport | null | undefined; forwarded?: ExtractedForwarded | null | undefined; forwarding_request?: ExtractedForwardingRequest | undefined; e_invoice?: ExtractedEInvoice | null | undefined; further_e_invoices?: (ExtractedEInvoice)[] | undefined };

export type ExtractedBounce = { recipients: ({ address: string; action: "failed" | "delayed" | "delivered" | "relayed" | "expanded"; status: string | null; diagnostic: string | null; is_permanent: boolean })[]; recipients_left_out: number; original_message_id: string | null; original_recipient: string | null };

export type ExtractedCode = { value: string; kind: "digits" | "alphanumeric"; source: "subject" | "text" | "html"; near: string };

export type ExtractedEInvoice = { syntax: "cii" | "ubl"; format: string; profile: string | null; type_code: string | null; number: string | null; issued: string | null; seller: string | null; total: string | null; currency: string | null; attachment: number; xml_filename: string | null; xml: string | null };

export type ExtractedForwarded = { by: string | null; kind: "inline" | "attached" | "automatic"; original: { from: string | null; to: string | null; cc: string | null; date: string | null; subject: string | null; text: string | null }; depth: number };

export type ExtractedForwardingRequest = { address: string | null; code: string | null; url: string | null };

export type ExtractedHiddenText = { sample: string; chars: number; reasons: (string)[] };

export type ExtractedInvitation = { method: string | null; uid: string | null; sequence: number; status: string | null; organizer: { address: string; name: string | null } | null; attendees: ({ address: string; name: string | null; status: string; role: string })[]; attendees_left_out: number; summary: string | null; location: string | null; start: ExtractedTime | null; end: ExtractedTime | null; recurrence: string | null; recurrence_id: ExtractedTime | null; other_events: number };

export type ExtractedLink = { url: string; text: string | null; host: string; shows_other_host: boolean; is_unsubscribe: boolean };

export type ExtractedReport = { kind: "dmarc" | "tls-rpt" | "arf"; organization: string | null; report_id: string | null; domain: string | null; from: string | null; to: string | null; policy?: { p: string | null; sp: string | null; np: string | null; adkim: string | null; aspf: string | null; pct: string | null; testing: string | null; fo: string | null } | undefined; rows?: ({ source_ip: string | null; count: number; disposition: string | null; dkim: string | null; spf: string | null; reasons: ({ type: string | null; comment: string | null })[]; header_from: string | null; envelope_from: string | null; envelope_to: string | null; dkim_results: ({ domain: string | null; selector: string | null; scope: string | null; result: string | null })[]; spf_results: ({ domain: string | null; selector: string | null; scope: string | null; result: string | null })[] })[] | undefined; rows_left_out?: number | undefined; policies?: ({ type: string | null; domain: string | null; mx_hosts: (string)[]; successful_sessions: number; failed_sessions: number; failures: ({ result_type: string | null; sending_ip: string | null; receiving_host: string | null; receiving_ip: string | null; failed_sessions: number; reason: string | null })[]; failures_left_out: number })[] | undefined; policies_left_out?: number | undefined; feedback?: { type: string; user_agent: string | null; source_ip: string | null; incidents: number; auth_failure: string | null; original_mail_from: string | null; original_recipients: (string)[]; original_message_id: string | null } | undefined };

export type ExtractedTime = { local: string; time_zone: string | null; utc: string | null; is_all_day: boolean };

export type GetNotificationSecretResponse = { webhook_secret: string; former_secrets_valid_until: string | null };

export type GetReceiverSecretResponse = { webhook_secret: string; former_secrets_valid_until: string | null };

export type GetReplayWindowResponse = { promised_hours: number; kept_hours: number };

export type GetReplyKeyResponse = { reply_key: string; former_reply_keys_valid_until: string | null };

export type GetSingleSignOnResponse = { enabled: boolean };

export type GetUsageSeriesResponse = { data: (UsageInterval)[]; total: UsageTotal };

export type GetWebhookSecretResponse = { webhook_secret: string; former_secrets_valid_until: string | null };

export type Header = { name: string; value: string };

export type Hook = { url: string; when: string | null; timeout_ms: number; on_error: "accept" | "defer" };

export type HookTrace = { decision: "accept" | "refuse" | "defer" | "hold" | "drop"; error: string | null; duration_ms: number };

export type InviteMemberRequest = { name: string; role: Role; link_expires_in_seconds?: number | undefined };

export type InvitedMember = { id: string; name: string; role: Role; permissions: (Permission)[]; subject: string | null; group: string | null; created_at: string; last_seen_at: string | null; link_expires_at: string | null; managed_by: ManagedBy | null; url: string };

export type Invoice = { id: string; period_start: string; period_end: string; amount_paid: number; amount_due: number; currency: string; status: "open" | "paid" | "void"; invoice_pdf: string; paid_at: string | null };

export type JsonWebKeySet = { keys: ({ kty: "OKP"; crv: "Ed25519"; x: string; kid: string; use: "sig"; alg: "EdDSA" })[] };

export type LeaseResult = { count: number; lost: (string)[] };

export type LeasedEmail = { lease_id: string; leased_until: string; event_id: string; retry_count: number; payload_bytes: number; payload: WebhookPayload | null };

export type LeasedEmails = { data: (LeasedEmail)[] };

export type ListAddressesResponse = { data: (AddressListItem)[]; pagination: Pagination };

export type ListBucketsResponse = { data: (Bucket)[] };

export type ListDeliveriesOfEmailResponse = { data: (DeliveryListItem)[] };

export type ListDeliveriesResponse = { data: (DeliveryListItem)[]; pagination: Pagination; archived_before?: string | undefined };

export type ListDomainsResponse = { data: (Domain)[]; pagination: Pagination };

export type ListDueDeliveriesResponse = { data: (DeliveryListItem)[]; pagination: Pagination };

export type ListInvoicesResponse = { data: (Invoice)[]; pagination: Pagination };

export type ListMembersResponse = { data: (Member)[] };

export type ListNewestDeliveriesResponse = { data: (DeliveryListItem)[] };

export type ListNotificationDeliveriesResponse = { data: (NotificationDelivery)[]; pagination: Pagination };

export type ListNotificationsResponse = { data: (Notification)[] };

export type ListReceiversResponse = { data: (Receiver)[] };

export type ListSenderListsResponse = { data: (SenderList)[] };

export type ListSessionsResponse = { data: (Session)[] };

export type ListTokensResponse = { data: (Token)[] };

export type ListUsageEventsResponse = { data: (UsageEvent)[]; pagination: Pagination };

export type LiveEvent = { type: "email.received" | "webhook.delivered" | "webhook.retrying" | "webhook.failed" | "address.created" | "address.updated" | "address.deleted" | "address.expired" | "address.failing" | "address.recovered" | "address.silent" | "address.resumed" | "token.created" | "token.deleted" | "stream.ready" | "stream.gap"; at: string; event_id?: string | undefined; address_id?: string | null | undefined; receiver_id?: string | undefined; token_id?: string | undefined; delivery?: DeliveryListItem | undefined; attempt?: { time: string; outcome: "accepted" | "refused" | "busy" | "unreachable" | "storage_failed" | "blocked"; status_code: number | null; latency_ms: number; error: string | null; excerpt: string | null; location: string | null; number: number } | undefined; since?: string | undefined };

export type MailSignature = { kind: "smime" | "pgp"; subject: string | null; is_valid: boolean | null };

export type ManagedBy = { kind: string; namespace: string; name: string };

export type Member = { id: string; name: string; role: Role; permissions: (Permission)[]; subject: string | null; group: string | null; created_at: string; last_seen_at: string | null; link_expires_at: string | null; managed_by: ManagedBy | null };

export type MtaStsMode = "none" | "testing" | "enforce";

export type Notification = { id: string; url: string; types: (NotificationType)[] | null; description: string | null; is_enabled: boolean; failing_since: string | null; created_at: string; updated_at: string; managed_by: ManagedBy | null };

export type NotificationDelivery = { event_id: string; status: "pending" | "retrying" | "delivered" | "failed" | "held" | "dropped"; outcome: "accepted" | "refused" | "busy" | "unreachable" | "storage_failed" | "blocked" | "canceled" | "lost" | "expired" | "backlog_full" | "no_url" | "disabled" | "filtered" | null; next_attempt_at: string | null; updated_at: string; attempt_count: number; type: string; created_at: string };

export type NotificationDeliveryDetails = { event_id: string; status: "pending" | "retrying" | "delivered" | "failed" | "held" | "dropped"; outcome: "accepted" | "refused" | "busy" | "unreachable" | "storage_failed" | "blocked" | "canceled" | "lost" | "expired" | "backlog_full" | "no_url" | "disabled" | "filtered" | null; next_attempt_at: string | null; updated_at: string; attempt_count: number; type: string; created_at: string; attempts: (Attempt)[]; payload: NotificationPayload | null };

export type NotificationOfCertificate = { event_id: string; notification_id: string; type: "receiver.certificate_expiring"; timestamp: string; account_id: string; environment: Environment; data: { address_id: string; address: string | null; receiver_id: string | null; subject: string; fingerprint_sha256: string; expires_at: string }; is_test?: true | undefined; metadata: { retry_count: number } };

export type NotificationOfDomain = { event_id: string; notification_id: string; type: "domain.unconfirmed"; timestamp: string; account_id: string; environment: Environment; data: { domain_id: string; domain: string; missing_since: string | null }; is_test?: true | undefined; metadata: { retry_count: number } };

export type NotificationOfFailingAddress = { event_id: string; notification_id: string; type: "address.failing"; timestamp: string; account_id: string; environment: Environment; data: { address_id: string; address: string | null; receiver_id: string | null; failing_since: string | null; is_enabled: boolean | null }; is_test?: true | undefined; metadata: { retry_count: number } };

export type NotificationOfHeldEmail = { event_id: string; notification_id: string; type: "email.held"; timestamp: string; account_id: string; environment: Environment; data: { address_id: string; address: string | null; receiver_id: string | null; event_id: string; reason: "rule" | "cut" | "refused_by_rule" | "infected" | "sender_not_allowed" | "sender_not_checked" | "attachment_not_allowed" | "hook" | "refused_by_hook" | "deferred_by_hook"; rule: string | null }; is_test?: true | undefined; metadata: { retry_count: number } };

export type NotificationOfInvoice = { event_id: string; notification_id: string; type: "invoice.created"; timestamp: string; account_id: string; environment: Environment; data: { invoice_id: string; amount: number; currency: string; status: string; period_start: string; period_end: string }; is_test?: true | undefined; metadata: { retry_count: number } };

export type NotificationOfLostEmail = { event_id: string; notification_id: string; type: "email.lost"; timestamp: string; account_id: string; environment: Environment; data: { address_id: string; address: string | null; receiver_id: string | null; event_id: string }; is_test?: true | undefined; metadata: { retry_count: number } };

export type NotificationOfQuota = { event_id: string; notification_id: string; type: "quota.near"; timestamp: string; account_id: string; environment: Environment; data: { percent: number; emails_used: number; emails_included: number; plan: string; over_quota: string; period_start: string; period_end: string }; is_test?: true | undefined; metadata: { retry_count: number } };

export type NotificationOfRecoveredAddress = { event_id: string; notification_id: string; type: "address.recovered"; timestamp: string; account_id: string; environment: Environment; data: { address_id: string; address: string | null; receiver_id: string | null; reason: string | null }; is_test?: true | undefined; metadata: { retry_count: number } };

export type NotificationOfResumedAddress = { event_id: string; notification_id: string; type: "address.resumed"; timestamp: string; account_id: string; environment: Environment; data: { address_id: string; address: string | null; reason: string | null; silent_since: string | null }; is_test?: true | undefined; metadata: { retry_count: number } };

export type NotificationOfSilentAddress = { event_id: string; notification_id: string; type: "address.silent"; timestamp: string; account_id: string; environment: Environment; data: { address_id: string; address: string | null; every: string; grace: string; when: string | null; silent_at: string }; is_test?: true | undefined; metadata: { retry_count: number } };

export type NotificationOfToken = { event_id: string; notification_id: string; type: "token.created"; timestamp: string; account_id: string; environment: Environment; data: { created_token_id: string; name: string; prefix: string; environment: Environment; permissions: (Permission)[] }; is_test?: true | undefined; metadata: { retry_count: number } };

export type NotificationPayload = NotificationOfFailingAddress | NotificationOfRecoveredAddress | NotificationOfSilentAddress | NotificationOfResumedAddress | NotificationOfQuota | NotificationOfDomain | NotificationOfInvoice | NotificationOfToken | NotificationOfCertificate | NotificationOfHeldEmail | NotificationOfLostEmail;

export type NotificationType = "address.failing" | "address.recovered" | "address.silent" | "address.resumed" | "quota.near" | "domain.unconfirmed" | "invoice.created" | "token.created" | "receiver.certificate_expiring" | "email.held" | "email.lost";

export type NotificationWithSecret = { id: string; url: string; types: (NotificationType)[] | null; description: string | null; is_enabled: boolean; failing_since: string | null; created_at: string; updated_at: string; managed_by: ManagedBy | null; webhook_secret: string };

export type OAuthClient = { token_url: string; client_id: string; client_secret: string; scope?: string | undefined; audience?: string | undefined; client_auth?: "basic" | "post" | undefined };

export type Pagination = { limit: number; offset: number; total: number; has_more: boolean };

export type ParseWarning = { code: string; message: string };

export type PayloadSettings = { attachments: "inline" | "omit" | "url"; raw: boolean; extract: ("codes" | "links" | "markdown" | "hidden_text" | "invitation" | "bounce" | "report" | "forwarded" | "e_invoice")[]; storage: StorageSettings | null };

export type Permission = "addresses:read" | "addresses:write" | "domains:read" | "domains:write" | "deliveries:read" | "deliveries:write" | "usage:read" | "billing:read" | "account:read" | "account:write" | "tokens:read" | "tokens:write" | "secrets:read" | "mail:submit";

export type Receiver = { id: string; address_id: string; url: string | null; description: string | null; is_enabled: boolean; payload: PayloadSettings; mode: WebhookMode; when: string | null; format: WebhookFormat; signing: WebhookSigning; public_key: string | null; auth: ReceiverAuthView | null; is_failing: boolean; failing_since: string | null; last_pulled_at: string | null; former_secrets_valid_until: string | null; created_at: string; updated_at: string; managed_by: ManagedBy | null };

export type ReceiverAuth = { headers?: { [name: string]: string } | undefined; basic?: { username: string; password: string } | undefined; oauth2?: OAuthClient | undefined; client_certificate?: ClientCertificate | undefined };

export type ReceiverAuthView = { headers: (string)[]; basic: { username: string } | null; oauth2: { token_url: string; client_id: string; scope: string | null; audience: string | null; client_auth: "basic" | "post" } | null; client_certificate: { subject: string; fingerprint_sha256: string; expires_at: string } | null };

export type ReceiverWithSecret = { id: string; address_id: string; url: string | null; description: string | null; is_enabled: boolean; payload: PayloadSettings; mode: WebhookMode; when: string | null; format: WebhookFormat; signing: WebhookSigning; public_key: string | null; auth: ReceiverAuthView | null; is_failing: boolean; failing_since: string | null; last_pulled_at: string | null; former_secrets_valid_until: string | null; created_at: string; updated_at: string; managed_by: ManagedBy | null; webhook_secret: string | null };

export type RecipientResult = { recipient: string; result: "accepted" | "refused" | "try_again"; reply: string; event_id: string | null };

export type RenewLeasesRequest = { lease_ids: (string)[]; lease?: number | undefined };

export type ReplayDeliveriesRequest = { address_id?: string | undefined; receiver_id?: string | undefined; status?: "delivered" | "failed" | "held" | "dropped" | "retrying" | undefined; sender?: string | undefined; recipient?: string | undefined; subject?: string | undefined; text?: string | undefined; tag?: string | undefined; thread?: string | undefined; has?: "attachment" | undefined; verdict?: string | undefined; start_date?: string | undefined; end_date?: string | undefined; limit?: number | undefined; cursor?: string | undefined };

export type ReplayDeliveriesResponse = { queued: number; skipped: { no_longer_kept: number; under_way: number }; next_cursor: string | null };

export type Reply = { status: "valid" | "expired" | "invalid" | "none"; reference: string | null; expires_at: string | null; sender: "bound" | "other" | "unbound" | null };

export type ReturnEmailsRequest = { lease_ids: (string)[]; reason?: string | undefined; retry_after?: number | undefined; is_final?: boolean | undefined };

export type Role = "owner" | "admin" | "developer" | "viewer" | "billing";

export type RotateReplyKeyRequest = { overlap_hours?: number | undefined };

export type RotateReplyKeyResponse = { reply_key: string; former_reply_keys_valid_until: string | null };

export type Rule = { name: string; when: string; action: "refuse" | "drop" | "hold" | "tag"; tags?: (string)[] | undefined };

export type RuleRequest = { name: string; when: string; action: "tag"; tags: (string)[] } | { name: string; when: string; action: "refuse" | "drop" | "hold" };

export type RulesComparison = { tested: number; changed: number; not_stored: number; not_reached: number; rules: ({ name: string; scope: "account" | "address"; action: "refuse" | "drop" | "hold" | "tag"; error: string | null; is_built_in?: true | undefined; evaluated: number; matched: number; failed: number })[]; data: ({ event_id: string; address_id: string; from: string | null; subject: string | null; received_at: string; before: { action: "refuse" | "drop" | "hold" | "deliver" | "later"; tags: (string)[] }; after: { action: "refuse" | "drop" | "hold" | "deliver" | "later"; tags: (string)[] }; is_changed: boolean })[] };

export type RulesTest = { rules: (EvaluatedRule)[]; facts: ({ name: string; value: string })[]; hook?: HookTrace | undefined; action: "refuse" | "drop" | "hold" | "deliver" | "later"; tags: (string)[]; warnings: (string)[] };

export type Ruling = { action: "hold" | "drop" | null; reason: "rule" | "cut" | "refused_by_rule" | "infected" | "sender_not_allowed" | "sender_not_checked" | "attachment_not_allowed" | "hook" | "refused_by_hook" | "deferred_by_hook" | null; rules: (EvaluatedRule)[]; facts: ({ name: string; value: string })[]; hook?: HookTrace | undefined };

export type SenderList = { id: string; name: string; description: string | null; entry_count: number; created_at: string; updated_at: string; managed_by: ManagedBy | null };

export type Session = { session_id: string; account_id: string; environment: Environment; permissions: (Permission)[]; address_ids: (string)[] | null; labels: { [name: string]: string } | null; method: "link" | "token" | "oidc"; user: string | null; member: { id: string; name: string; role: Role } | null; created_at: string; expires_at: string; idle_expires_at: string; source_ip: string; user_agent: string | null; current: boolean };

export type SignedWebhook = { webhook_url: string | null; headers: { 'content-type': string; 'ce-specversion'?: "1.0" | undefined; 'ce-id'?: string | undefined; 'ce-source'?: string | undefined; 'ce-type'?: "email.inlet.received.v1" | undefined; 'ce-time'?: string | undefined; 'ce-subject'?: string | undefined; 'svc-signature'?: string | undefined; 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string }; size_bytes: number };

export type Spam = { score: number; verdict: "spam" | "not_spam"; details: { spf: string; dkim: string; dmarc: string }; scored_by: "inlet" | "rspamd"; rules: ({ name: string; score: number })[] };

export type StorageSettings = { bucket: string; what: ("raw" | "attachments")[]; link_hours: number | null };

export type SubmitEmailResponse = { recipients: (RecipientResult)[] };

export type SubscriptionStatus = "trialing" | "active" | "past_due" | "canceled";

export type TestBucketResponse = { ok: boolean; error: string | null };

export type TestExpressionRequest = { when: string; event_id?: string | undefined; email?: string | undefined; email_base64?: string | undefined };

export type TestRulesRequest = { rules?: (RuleRequest)[] | undefined; account_rules?: (RuleRequest)[] | undefined; address_id?: string | undefined; event_id?: string | undefined; email?: string | undefined; email_base64?: string | undefined };

export type Token = { id: string; name: string; prefix: string; environment: Environment; permissions: (Permission)[]; address_ids: (string)[] | null; labels: { [name: string]: string } | null; member_id: string | null; created_at: string; expires_at: string | null; last_used_at: string | null };

export type UpdateAccountRequest = { name?: string | undefined; company?: string | null | undefined; settings?: { timezone?: string | undefined; webhook_retry_attempts?: number | undefined; default_ttl_hours?: number | undefined; disable_failing_addresses?: boolean | undefined; retention_hours?: number | null | undefined; redact?: ("subject" | "from")[] | undefined; refuse_infected?: boolean | undefined; search_bodies?: boolean | undefined; record_views?: boolean | undefined; rules?: (RuleRequest)[] | undefined; hook?: { url: string; when?: string | null | undefined; timeout_ms?: number | undefined; on_error?: "accept" | "defer" | undefined } | null | undefined } | undefined };

export type UpdateAddressRequest = { webhook_url?: string | null | undefined; mode?: WebhookMode | undefined; when?: string | null | undefined; format?: WebhookFormat | undefined; signing?: WebhookSigning | undefined; auth?: ReceiverAuth | null | undefined; webhook_enabled?: boolean | undefined; is_enabled?: boolean | undefined; is_permanent?: true | undefined; ttl_hours?: number | undefined; payload?: { attachments?: "inline" | "omit" | "url" | undefined; raw?: boolean | undefined; extract?: ("codes" | "links" | "markdown" | "hidden_text" | "invitation" | "bounce" | "report" | "forwarded" | "e_invoice")[] | undefined; storage?: { bucket: string; what: ("raw" | "attachments")[]; link_hours?: number | null | undefined } | null | undefined } | undefined; description?: string | null | undefined; spam_refuse_above?: number | null | undefined; allowed_senders?: AllowedSenders | null | undefined; refuse_infected?: boolean | null | undefined; allowed_attachments?: { types?: (string)[] | null | undefined; max_bytes?: number | null | undefined } | null | undefined; max_per_hour?: number | null | undefined; labels?: { [name: string]: string } | undefined; rules?: (RuleRequest)[] | undefined; hook?: { url: string; when?: string | null | undefined; timeout_ms?: number | undefined; on_error?: "accept" | "defer" | undefined } | null | undefined; expect?: { every: string; when?: string | null | undefined; grace?: string | undefined } | null | undefined; reply_addresses?: boolean | undefined; reply_only?: boolean | undefined; retention_hours?: number | null | undefined; redact?: ("subject" | "from")[] | null | undefined };

export type UpdateBucketRequest = { endpoint?: string | undefined; bucket?: string | undefined; region?: string | undefined; prefix?: string | undefined; addressing?: "path" | "host" | undefined; description?: string | null | undefined; credentials?: { access_key_id: string; secret_access_key: string } | undefined };

export type UpdateDomainRequest = { mta_sts?: MtaStsMode | undefined };

export type UpdateMemberRequest = { name?: string | undefined; role?: Role | undefined };

export type UpdateNotificationRequest = { url?: string | undefined; types?: (NotificationType)[] | null | undefined; description?: string | null | undefined; is_enabled?: boolean | undefined };

export type UpdateReceiverRequest = { url?: string | null | undefined; description?: string | null | undefined; is_enabled?: boolean | undefined; payload?: { attachments?: "inline" | "omit" | "url" | undefined; raw?: boolean | undefined; extract?: ("codes" | "links" | "markdown" | "hidden_text" | "invitation" | "bounce" | "report" | "forwarded" | "e_invoice")[] | undefined; storage?: { bucket: string; what: ("raw" | "attachments")[]; link_hours?: number | null | undefined } | null | undefined } | undefined; mode?: WebhookMode | undefined; when?: string | null | undefined; format?: WebhookFormat | undefined; signing?: WebhookSigning | undefined; auth?: ReceiverAuth | null | undefined };

export type UpdateSenderListRequest = { description?: string | null | undefined; entries?: (string)[] | undefined; add?: (string)[] | undefined; remove?: (string)[] | undefined };

export type Usage = { period: { start: string; end: string; current: boolean }; emails: { total: number; successful: number; failed: number; today: number }; webhooks: { delivered: number; failed: number; retrying: number }; success_rate: number; projected_monthly: number; updated_at: string };

export type UsageEvent = { id: string; type: "email.received" | "email.repeated" | "email.held" | "email.dropped" | "email.lost" | "email.viewed" | "webhook.delivered" | "webhook.retrying" | "webhook.failed" | "address.created" | "address.updated" | "address.deleted" | "address.expired" | "address.failing" | "address.recovered" | "address.silent" | "address.resumed" | "address.secret_viewed" | "token.created" | "token.updated" | "token.deleted" | "member.created" | "member.updated" | "member.deleted" | "member.link_created" | "account.updated" | "delivery.replayed" | "delivery.released" | "delivery.dropped" | "delivery.erased" | "domain.created" | "domain.verified" | "domain.updated" | "domain.deleted" | "domain.unconfirmed" | "session.created" | "session.ended" | "quota.near" | "invoice.created" | "notification.created" | "notification.updated" | "notification.deleted" | "notification.secret_viewed" | "receiver.created" | "receiver.updated" | "receiver.deleted" | "receiver.secret_viewed" | "receiver.certificate_expiring" | "list.created" | "list.updated" | "list.deleted" | "tool.called" | "bucket.created" | "bucket.updated" | "bucket.deleted"; address_id: string; timestamp: string; data: { from?: string | undefined; subject?: string | null | undefined; size_bytes?: number | undefined; webhook_status?: "pending" | "retrying" | "delivered" | "failed" | "held" | "dropped" | undefined; event_id?: string | undefined; actor?: "member" | "user" | "token" | "operator" | "resource" | "inlet" | undefined; member_id?: string | undefined; token_id?: string | undefined; session_id?: string | undefined; user?: string | undefined; resource?: string | undefined; request_id?: string | undefined; source_ip?: string | undefined; rule?: string | undefined; reason?: string | undefined; address?: string | undefined; domain?: string | undefined; name?: string | undefined; created_token_id?: string | undefined; updated_token_id?: string | undefined; deleted_token_id?: string | undefined; target_member_id?: string | undefined; role?: string | undefined; notification_id?: string | undefined; receiver_id?: string | undefined; list_id?: string | undefined; method?: string | undefined; tool?: string | undefined; changed?: { [name: string]: unknown } | undefined; part?: "text" | "html" | "payload" | "raw" | "attachment" | "codes" | "condition" | undefined; way?: "dashboard" | "api" | "mcp" | "link" | undefined; error?: string | undefined } };

export type UsageInterval = { start: string; received: number; delivered: number; failed: number; held: number; dropped: number; waiting: number; p50_ms: number | null; p95_ms: number | null };

export type UsageTotal = { received: number; delivered: number; failed: number; held: number; dropped: number; waiting: number; success_rate: number; p50_ms: number | null; p95_ms: number | null };

export type Virus = { verdict: "clean" | "infected" | "not_scanned" | "error"; name: string | null; scanner: "clamd" | "rspamd"; attachments: ({ index: number; filename: string; name: string })[] };

export type WebhookFormat = "inlet" | "cloudevents" | "postmark" | "sendgrid" | "mailgun" | "cloudmailin" | "raw";

export type WebhookMode = "push" | "pull";

export type WebhookPayload = { event_id: string; address_id: string; timestamp: string; recipient: string; recipients: (string)[]; envelope: { mail_from: string; rcpt_to: (string)[]; helo_domain: string; remote_ip: string }; headers: { from: string | null; to: string | null; cc: string | null; bcc: string | null; subject: string | null; date: string | null; message_id: string | null; in_reply_to: string | null; references: string | null; reply_to: string | null; all: ({ name: string; value: string })[] }; content: { text: string | null; html: string | null; size_bytes: number; raw_url?: string | undefined }; attachments: (Attachment)[]; spam: Spam; virus?: Virus | undefined; authentication: Authentication | null; plus_tag: string | null; reply?: Reply | undefined; thread_id?: string | undefined; auto_submitted: boolean; is_bounce: boolean; is_list: boolean; reply_text: string | null; parse_warnings: (ParseWarning)[]; signature?: MailSignature | undefined; encrypted?: "smime" | "pgp" | undefined; tags?: (string)[] | undefined; extracted?: Extracted | undefined; metadata: { received_at: string; processing_time_ms: number; storage?: { name: string; endpoint: string; bucket: string; raw?: { key: string; sha256: string; size_bytes: number; url?: string | undefined } | undefined; attachments?: ({ key: string; sha256: string; size_bytes: number; url?: string | undefined })[] | undefined; urls_expire_at?: string | undefined } | undefined; retry_count: number }; is_test?: boolean | undefined };

export type WebhookSigning = "hmac" | "ed25519";

export type WebhookTest = { outcome: "accepted" | "refused" | "busy" | "unreachable" | "storage_failed" | "blocked"; status_code: number | null; latency_ms: number; error: string | null; excerpt: string | null; location: string | null; event_id: string };

export type Calls = {
  'POST /addresses': {
    params: unknown;
    query: unknown;
    body: CreateAddressRequest;
    response: AddressWithSecret;
  };
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
  'GET /lists': {
    params: unknown;
    query: unknown;
    body: undefined;
    response: ListSenderListsResponse;
  };
  'POST /lists': {
    params: unknown;
    query: unknown;
    body: CreateSenderListRequest;
    response: SenderList;
  };
  'GET /lists/{list_id}': {
    params: { list_id: string };
    query: unknown;
    body: undefined;
    response: SenderList;
  };
  'PATCH /lists/{list_id}': {
    params: { list_id: string };
    query: unknown;
    body: UpdateSenderListRequest;
    response: SenderList;
  };
  'DELETE /lists/{list_id}': {
    params: { list_id: string };
    query: unknown;
    body: undefined;
    response: Deleted;
  };
  'GET /lists/{list_id}/entries': {
    params: { list_id: string };
    query: unknown;
    body: undefined;
    response: unknown;
  };
  'POST /domains': {
    params: unknown;
    query: unknown;
    body: CreateDomainRequest;
    response: Domain;
  };
  'GET /domains': {
    params: unknown;
    query: { limit?: number | undefined; offset?: number | undefined; status?: "pending" | "verified" | "failed" | undefined };
    body: undefined;
    response: ListDomainsResponse;
  };
  'GET /domains/{domain_id}': {
    params: { domain_id: string };
    query: unknown;
    body: undefined;
    response: Domain;
  };
  'PATCH /domains/{domain_id}': {
    params: { domain_id: string };
    query: unknown;
    body: UpdateDomainRequest;
    response: Domain;
  };
  'DELETE /domains/{domain_id}': {
    params: { domain_id: string };
    query: unknown;
    body: undefined;
    response: Deleted;
  };
  'POST /domains/{domain_id}/verify': {
    params: { domain_id: string };
    query: unknown;
    body: undefined;
    response: Domain;
  };
  'GET /domains/{domain_id}/connect': {
    params: { domain_id: string };
    query: unknown;
    body: undefined;
    response: DomainConnect;
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
  'GET /deliveries/replay': {
    params: unknown;
    query: unknown;
    body: undefined;
    response: GetReplayWindowResponse;
  };
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
  'POST /intake': {
    params: unknown;
    query: unknown;
    body: undefined;
    response: SubmitEmailResponse;
  };
  'DELETE /deliveries/{event_id}/content': {
    params: { event_id: string };
    query: unknown;
    body: undefined;
    response: Delivery;
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
  'POST /expressions/test': {
    params: unknown;
    query: unknown;
    body: TestExpressionRequest;
    response: ExpressionTest;
  };
  'POST /rules/test': {
    params: unknown;
    query: unknown;
    body: TestRulesRequest;
    response: RulesTest;
  };
  'POST /rules/compare': {
    params: unknown;
    query: unknown;
    body: CompareRulesRequest;
    response: RulesComparison;
  };
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
  'POST /account/buckets': {
    params: unknown;
    query: unknown;
    body: CreateBucketRequest;
    response: Bucket;
  };
  'GET /account/buckets': {
    params: unknown;
    query: unknown;
    body: undefined;
    response: ListBucketsResponse;
  };
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
  'GET /account': {
    params: unknown;
    query: unknown;
    body: undefined;
    response: Account;
  };
  'PATCH /account': {
    params: unknown;
    query: unknown;
    body: UpdateAccountRequest;
    response: Account;
  };
  'GET /account/tokens': {
    params: unknown;
    query: unknown;
    body: undefined;
    response: ListTokensResponse;
  };
  'POST /account/tokens': {
    params: unknown;
    query: unknown;
    body: CreateTokenRequest;
    response: CreatedToken;
  };
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
  'POST /sessions': {
    params: unknown;
    query: unknown;
    body: CreateSessionRequest;
    response: Session;
  };
  'GET /sessions': {
    params: unknown;
    query: unknown;
    body: undefined;
    response: ListSessionsResponse;
  };
  'GET /sessions/current': {
    params: unknown;
    query: unknown;
    body: undefined;
    response: Session;
  };
  'DELETE /sessions/current': {
    params: unknown;
    query: unknown;
    body: undefined;
    response: Deleted;
  };
  'DELETE /sessions/{session_id}': {
    params: { session_id: string };
    query: unknown;
    body: undefined;
    response: Deleted;
  };
  'GET /account/members': {
    params: unknown;
    query: unknown;
    body: undefined;
    response: ListMembersResponse;
  };
  'POST /account/members': {
    params: unknown;
    query: unknown;
    body: InviteMemberRequest;
    response: InvitedMember;
  };
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
  'GET /sessions/oidc': {
    params: unknown;
    query: unknown;
    body: undefined;
    response: GetSingleSignOnResponse;
  };
  'GET /stream': {
    params: unknown;
    query: { address_id?: string | undefined; receiver_id?: string | undefined; types?: string | undefined; since?: string | undefined };
    body: undefined;
    response: unknown;
  };
  'GET /deliveries/wait': {
    params: unknown;
    query: { address_id: string; since?: string | undefined; timeout?: number | undefined; code?: boolean | undefined; link?: boolean | undefined };
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
  'GET /usage': {
    params: unknown;
    query: unknown;
    body: undefined;
    response: Usage;
  };
  'GET /usage/daily': {
    params: unknown;
    query: { days?: number | undefined; interval?: "hour" | "day" | undefined; address_id?: string | undefined };
    body: undefined;
    response: GetUsageSeriesResponse;
  };
  'GET /usage/events': {
    params: unknown;
    query: { limit?: number | undefined; offset?: number | undefined; start_date?: string | undefined; end_date?: string | undefined; event_type?: "email.received" | "email.repeated" | "email.held" | "email.dropped" | "email.lost" | "email.viewed" | "webhook.delivered" | "webhook.retrying" | "webhook.failed" | "address.created" | "address.updated" | "address.deleted" | "address.expired" | "address.failing" | "address.recovered" | "address.silent" | "address.resumed" | "address.secret_viewed" | "token.created" | "token.updated" | "token.deleted" | "member.created" | "member.updated" | "member.deleted" | "member.link_created" | "account.updated" | "delivery.replayed" | "delivery.released" | "delivery.dropped" | "delivery.erased" | "domain.created" | "domain.verified" | "domain.updated" | "domain.deleted" | "domain.unconfirmed" | "session.created" | "session.ended" | "quota.near" | "invoice.created" | "notification.created" | "notification.updated" | "notification.deleted" | "notification.secret_viewed" | "receiver.created" | "receiver.updated" | "receiver.deleted" | "receiver.secret_viewed" | "receiver.certificate_expiring" | "list.created" | "list.updated" | "list.deleted" | "tool.called" | "bucket.created" | "bucket.updated" | "bucket.deleted" | undefined; by_people?: boolean | undefined };
    body: undefined;
    response: ListUsageEventsResponse;
  };
  'GET /billing': {
    params: unknown;
    query: unknown;
    body: undefined;
    response: Billing;
  };
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
