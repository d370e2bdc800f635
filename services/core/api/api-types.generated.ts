/** The types of the REST API, from its OpenAPI document: `npm run golden` updates them. */

export type Account = {
  id: string;
  /** of the account owner */
  email: string;
  name: string;
  /** empty when there is none */
  company: string;
  plan: string;
  /** ISO 8601 in UTC, whole seconds */
  created_at: string;
  settings: AccountSettings;
};

export type AccountSettings = {
  /** IANA time zone name */
  timezone: string;
  /** number of retries after a failed first attempt; a lower number shortens the schedule */
  webhook_retry_attempts: number;
  /** hours until an address expires that is created without ttl_hours and not permanent */
  default_ttl_hours: number;
  /** whether Inlet disables an address whose receiver has accepted nothing for too long; otherwise it only marks it as failing */
  disable_failing_addresses: boolean;
  /** hours after its delivery that the content of an email is stored, unless its address says otherwise; 0: it is removed when delivered; null: as long as this installation stores it */
  retention_hours: number | null;
  /** fields that records and events of new emails do not contain, unless their address says otherwise */
  redact: ("subject" | "from")[];
  /** whether email that contains malware is refused with 550 5.7.1 after DATA, unless another recipient accepts it: then it is held; an address can say otherwise; a change applies within 30 seconds */
  refuse_infected: boolean;
  /** whether new emails can be found by the words of their text, where the installation allows it (SEARCH_BODIES); not those of addresses with `redact`; a change applies within 30 seconds */
  search_bodies: boolean;
  /** whether an event email.viewed says who read which part of an email, and how: see docs/retention.md */
  record_views: boolean;
  /** evaluated in their order on the email of all addresses, before their own: see docs/rules.md; a change applies within 30 seconds */
  rules: (Rule)[];
  /** asked about the email of each address without a hook of its own, before the reply to its sender: see docs/deciding-hooks.md; null: none */
  hook: Hook | null;
};

export type AcknowledgeEmailsRequest = {
  /** lease_id of each email, or the event_id of one that nobody has leased */
  lease_ids: (string)[];
};

export type Address = {
  id: string;
  /** the receiving email address */
  address: string;
  /** of its first receiver; null for an address whose email is only stored and read */
  webhook_url: string | null;
  /** secret that signs the webhooks of this address; starts with whsec_; null without the permission secrets:read, and with ed25519, whose private key is never shown */
  webhook_secret: string | null;
  is_enabled: boolean;
  /** true when the address never expires */
  is_permanent: boolean;
  /** null for permanent addresses */
  expires_at: string | null;
  /** number of emails that this address has received */
  email_count: number;
  description: string | null;
  /** ISO 8601 in UTC, whole seconds */
  created_at: string;
  /** ISO 8601 in UTC, whole seconds */
  updated_at: string;
  /** false: no new email is sent to webhook_url; further receivers get it, and it can be read */
  webhook_enabled: boolean;
  mode: WebhookMode;
  /** filter in CEL: it gets only emails for which this is true; null for all */
  when: string | null;
  format: WebhookFormat;
  signing: WebhookSigning;
  /** verifies its webhooks; starts with whpk_; null with hmac */
  public_key: string | null;
  /** how Inlet authenticates to it, without secrets; null when it does not */
  auth: ReceiverAuthView | null;
  payload: PayloadSettings;
  /** spam score above which an email is refused with 550 5.7.1 after DATA, unless another recipient accepts it; null: never */
  spam_refuse_above: number | null;
  /** whose email the address accepts; other email is refused with 550 5.7.1 after DATA; null: everybody */
  allowed_senders: {
    senders: (string)[];
    require_authenticated: boolean;
    accept_forwarded: boolean;
  } | null;
  /** whether an email that contains malware is refused with 550 5.7.1 after DATA, unless another recipient accepts it: then it is held; null: the account's */
  refuse_infected: boolean | null;
  /** which attachments the address accepts; others are refused after DATA, with 550 5.7.1 for the type and 552 5.2.3 for the size, unless another recipient accepts the email; null: all */
  allowed_attachments: {
    types: (string)[] | null;
    max_bytes: number | null;
  } | null;
  /** emails that the address accepts in an hour; above, senders get 450 4.7.1 and try again; null: no limit */
  max_per_hour: number | null;
  /** key-value pairs, by which lists and tokens choose addresses */
  labels: { [name: string]: string };
  /** evaluated in their order, after the account's: see docs/rules.md */
  rules: (Rule)[];
  /** asked about each email before the reply to its sender: see docs/deciding-hooks.md; null: the account's */
  hook: Hook | null;
  /** email that the address expects: its absence is an address.silent event; null: none */
  expect: Expectation | null;
  /** when Inlet noticed that the expected email is absent; null while it arrives */
  silent_since: string | null;
  /** whether signed reply addresses of this address are checked: see docs/reply-addresses.md */
  reply_addresses: boolean;
  /** true: email to other than its valid reply addresses is refused with 550 5.1.1; turns reply_addresses on */
  reply_only: boolean;
  /** hours after its delivery that the content of an email is stored, at most as long as this installation stores it; 0: it is removed when delivered, which excludes links in the payload; null: the account's */
  retention_hours: number | null;
  /** fields that records and events of new emails do not contain; webhooks contain them; null: the account's */
  redact: ("subject" | "from")[] | null;
  /** true when the receiver has rejected every webhook for too long */
  is_failing: boolean;
  /** secret_rotated: it has responded with 401 or 403 since its webhook secret was rotated; auth_changed: since the authentication to it changed, or its token URL refuses; gone: it has responded with 410 Gone; null otherwise */
  failing_reason: "secret_rotated" | "auth_changed" | "gone" | null;
  /** time of the first failed attempt since the last accepted one; null when there is none */
  failing_since: string | null;
  /** until then a former secret also signs, after a rotation; null when none does */
  former_secrets_valid_until: string | null;
  /** the Kubernetes resource that owns the address; changes must be made there; null when there is none */
  managed_by: ManagedBy | null;
};

export type AddressListItem = {
  id: string;
  /** the receiving email address */
  address: string;
  /** of its first receiver; null for an address whose email is only stored and read */
  webhook_url: string | null;
  is_enabled: boolean;
  /** true when the address never expires */
  is_permanent: boolean;
  /** number of emails that this address has received */
  email_count: number;
  /** ISO 8601 in UTC, whole seconds */
  created_at: string;
  /** only with `include=description` */
  description?: string | null | undefined;
  /** only with `include=description` */
  mode?: WebhookMode | undefined;
};

export type AddressWithSecret = {
  id: string;
  /** the receiving email address */
  address: string;
  /** of its first receiver; null for an address whose email is only stored and read */
  webhook_url: string | null;
  /** secret that signs the webhooks of this address; starts with whsec_; null with ed25519, whose private key is never shown */
  webhook_secret: string | null;
  is_enabled: boolean;
  /** true when the address never expires */
  is_permanent: boolean;
  /** null for permanent addresses */
  expires_at: string | null;
  /** number of emails that this address has received */
  email_count: number;
  description: string | null;
  /** ISO 8601 in UTC, whole seconds */
  created_at: string;
  /** ISO 8601 in UTC, whole seconds */
  updated_at: string;
  /** false: no new email is sent to webhook_url; further receivers get it, and it can be read */
  webhook_enabled: boolean;
  mode: WebhookMode;
  /** filter in CEL: it gets only emails for which this is true; null for all */
  when: string | null;
  format: WebhookFormat;
  signing: WebhookSigning;
  /** verifies its webhooks; starts with whpk_; null with hmac */
  public_key: string | null;
  /** how Inlet authenticates to it, without secrets; null when it does not */
  auth: ReceiverAuthView | null;
  payload: PayloadSettings;
  /** spam score above which an email is refused with 550 5.7.1 after DATA, unless another recipient accepts it; null: never */
  spam_refuse_above: number | null;
  /** whose email the address accepts; other email is refused with 550 5.7.1 after DATA; null: everybody */
  allowed_senders: {
    senders: (string)[];
    require_authenticated: boolean;
    accept_forwarded: boolean;
  } | null;
  /** whether an email that contains malware is refused with 550 5.7.1 after DATA, unless another recipient accepts it: then it is held; null: the account's */
  refuse_infected: boolean | null;
  /** which attachments the address accepts; others are refused after DATA, with 550 5.7.1 for the type and 552 5.2.3 for the size, unless another recipient accepts the email; null: all */
  allowed_attachments: {
    types: (string)[] | null;
    max_bytes: number | null;
  } | null;
  /** emails that the address accepts in an hour; above, senders get 450 4.7.1 and try again; null: no limit */
  max_per_hour: number | null;
  /** key-value pairs, by which lists and tokens choose addresses */
  labels: { [name: string]: string };
  /** evaluated in their order, after the account's: see docs/rules.md */
  rules: (Rule)[];
  /** asked about each email before the reply to its sender: see docs/deciding-hooks.md; null: the account's */
  hook: Hook | null;
  /** email that the address expects: its absence is an address.silent event; null: none */
  expect: Expectation | null;
  /** when Inlet noticed that the expected email is absent; null while it arrives */
  silent_since: string | null;
  /** whether signed reply addresses of this address are checked: see docs/reply-addresses.md */
  reply_addresses: boolean;
  /** true: email to other than its valid reply addresses is refused with 550 5.1.1; turns reply_addresses on */
  reply_only: boolean;
  /** hours after its delivery that the content of an email is stored, at most as long as this installation stores it; 0: it is removed when delivered, which excludes links in the payload; null: the account's */
  retention_hours: number | null;
  /** fields that records and events of new emails do not contain; webhooks contain them; null: the account's */
  redact: ("subject" | "from")[] | null;
  /** true when the receiver has rejected every webhook for too long */
  is_failing: boolean;
  /** secret_rotated: it has responded with 401 or 403 since its webhook secret was rotated; auth_changed: since the authentication to it changed, or its token URL refuses; gone: it has responded with 410 Gone; null otherwise */
  failing_reason: "secret_rotated" | "auth_changed" | "gone" | null;
  /** time of the first failed attempt since the last accepted one; null when there is none */
  failing_since: string | null;
  /** until then a former secret also signs, after a rotation; null when none does */
  former_secrets_valid_until: string | null;
  /** the Kubernetes resource that owns the address; changes must be made there; null when there is none */
  managed_by: ManagedBy | null;
};

export type AllowedSenders = {
  /** addresses, domains (partner.example) and their subdomains (*.partner.example) */
  senders: (string)[];
  /** whether DMARC or an aligned DKIM signature must prove the domain of From; default: true. With false, anyone can write in the name of a listed author */
  require_authenticated?: boolean | undefined;
  /** whether the seal (ARC) of a forwarder that this installation trusts counts as proof, too; default: false */
  accept_forwarded?: boolean | undefined;
};

export type Attachment = {
  /** name in the email; attachment-<n> when it has none */
  filename: string;
  /** MIME type */
  content_type: string;
  /** decoded size */
  size_bytes: number;
  /** Base64; null when the address omits attachments or has them linked */
  content: string | null;
  /** link to the content with a limited lifetime, when the address has attachments linked */
  content_url?: string | undefined;
  /** without angle brackets, of a picture in the text (cid: links of the HTML body); null for files, and when the part has none */
  content_id: string | null;
  /** what the email says of the part (Content-Disposition); null when it says nothing */
  disposition: "attachment" | "inline" | null;
  /** method of an invitation (text/calendar): REQUEST, REPLY, CANCEL …; null for every other part */
  method: string | null;
};

export type Attempt = {
  /** when the attempt began */
  time: string;
  outcome: "accepted" | "refused" | "busy" | "unreachable" | "storage_failed" | "blocked";
  /** null when no answer came */
  status_code: number | null;
  latency_ms: number;
  /** why no answer came */
  error: string | null;
  /** first KiB of the answer's body; null when it had none */
  excerpt: string | null;
  /** Location of a redirect, which Inlet does not follow; null without one */
  location: string | null;
};

export type Authentication = {
  spf: {
    result: "none" | "neutral" | "pass" | "fail" | "softfail" | "temperror" | "permerror";
    /** domain of the record: that of the envelope sender, or of HELO for the null sender */
    domain: string | null;
    /** explanation for people; null when there is nothing to add */
    reason: string | null;
  };
  /** all signatures, the topmost first; empty when there are none */
  dkim: ({
    result: "pass" | "fail" | "policy" | "neutral" | "temperror" | "permerror";
    /** signer (d=) */
    domain: string;
    selector: string;
    /** whether the signer is the domain of From by the rules of DMARC */
    aligned: boolean;
    /** names of the headers that it covers, in lower case; of repeated ones the last; absent in emails of earlier releases */
    signed_headers?: (string)[] | undefined;
    /** bytes at the end of the body that it does not cover (l=), which anybody can have added; absent when the body was not hashed */
    unsigned_body_bytes?: number | undefined;
    /** what it does not cover: from_not_signed, subject_not_signed, content_type_not_signed, content_transfer_encoding_not_signed, content_disposition_not_signed, reply_to_not_signed, body_not_signed; new ones may be added */
    warnings?: (string)[] | undefined;
    /** explanation for people; null when there is nothing to add */
    reason: string | null;
  })[];
  dmarc: {
    result: "none" | "pass" | "fail" | "temperror" | "permerror";
    /** domain of From; null unless there is exactly one */
    domain: string | null;
    /** policy of the domain for a fail; null without a record */
    policy: "none" | "quarantine" | "reject" | null;
    /** which of the two authenticates the domain of From */
    alignment: {
      spf: boolean;
      dkim: boolean;
    };
    /** why a fail does not count as spam; the result is still fail */
    override: {
      reason: "trusted_arc";
      sealer: string;
    } | null;
    /** explanation for people; null when there is nothing to add */
    reason: string | null;
  };
  arc: {
    result: "none" | "pass" | "fail" | "temperror";
    /** forwarders in their order; trust it only if the result is pass, and only as far as you trust its sealers */
    chain: ({
      instance: number;
      /** domain that signed this entry */
      sealer: string;
      /** DMARC result that the sealer reports; null when it reports none */
      dmarc: string | null;
      /** domain of From for which the sealer reports it; null when it names none; absent in emails of earlier releases */
      header_from?: string | null | undefined;
    })[];
    /** explanation for people; null when there is nothing to add */
    reason: string | null;
  };
  iprev: {
    /** permerror: the address has no name */
    result: "pass" | "fail" | "temperror" | "permerror";
    /** a name of the IP address that resolves back to it; null without one */
    name: string | null;
  };
};

export type AwaitedDelivery = {
  /** the payload's event_id */
  event_id: string;
  /** id of the address, or of the notification (ntf_…) */
  address_id: string;
  /** further receiver of the address (rcv_…), or the same as address_id */
  receiver_id: string;
  /** the same for the deliveries of an email to all receivers of its address */
  email_id: string;
  /** pending: not attempted yet, or not since a replay; retrying: waits for its next attempt; delivered: the receiver accepted it, or it is stored and there is no webhook to send: see outcome; held: waits for a release; dropped: gets no webhook */
  status: "pending" | "retrying" | "delivered" | "failed" | "held" | "dropped";
  /** of the last attempt; or canceled; or why Inlet ended it: lost (no stream has the email any more), expired (no attempt succeeded in time), unread (no consumer acknowledged it in time), backlog_full (too many emails waited); or why a delivered email was stored without a webhook: no_url (its address has no webhook_url), disabled (webhook_enabled is false), filtered (`when` is false). null before the first attempt */
  outcome: "accepted" | "refused" | "busy" | "unreachable" | "storage_failed" | "blocked" | "canceled" | "lost" | "expired" | "unread" | "backlog_full" | "no_url" | "disabled" | "filtered" | null;
  /** SMTP envelope sender; empty for bounces, and when redacted or erased */
  mail_from: string;
  /** the name of the address in RCPT, as the sender wrote it; null when erased, for notifications, and for emails of earlier versions */
  recipient: string | null;
  /** From header; null when absent, redacted or erased */
  from: string | null;
  /** Subject header, null when absent, redacted or erased; the type of a notification */
  subject: string | null;
  /** size of the raw mail */
  size_bytes: number;
  /** ISO 8601 in UTC, whole seconds */
  received_at: string;
  /** not before this time; null when nothing is due. Of an email that a consumer asks for: from when on it can be leased, or when its lease ends */
  next_attempt_at: string | null;
  /** of the last change of this record */
  updated_at: string;
  /** when a request erased the content; null when none did */
  content_erased_at: string | null;
  /** number of all attempts */
  attempt_count: number;
  /** of the response to the last attempt; null before one, and without a response */
  status_code: number | null;
  /** why the last attempt got no response; null when it got one, and before one */
  error: string | null;
  /** that rules added */
  tags: (string)[];
  /** fail: perhaps From is forged; null when not checked */
  dmarc: string | null;
  /** the conversation of the email at its address, as its headers claim it; null without message ids, and for emails of earlier versions */
  thread_id: string | null;
  /** W3C trace id of the email; the `traceparent` of each of its webhooks contains it */
  trace_id: string;
  /** why the filter of the receiver failed on this email, and so counted as true; null when it did not */
  filter_error: string | null;
  /** what rules decided; null when none was evaluated */
  ruling: Ruling | null;
  /** when a request released it; null when none did */
  released_at: string | null;
  /** what rules and requests did to it, oldest first: the last 21 */
  history: ({
    /** ISO 8601 in UTC, whole seconds */
    time: string;
    /** held and dropped by rules, by their hook, or dropped by a request; the others by a request */
    did: "held" | "released" | "dropped" | "replayed" | "retried" | "canceled";
    /** who asked for it; inlet: rules or a hook */
    actor: "member" | "user" | "token" | "operator" | "resource" | "inlet";
    /** name of a person, else the id of the token or session; null for inlet */
    by: string | null;
  })[];
  /** files of the email in your bucket; null when there are none */
  storage: {
    /** of the bucket in Inlet */
    name: string;
    endpoint: string;
    /** its name at the provider */
    bucket: string;
    /** of the raw email first, if it is stored */
    keys: (string)[];
    /** of these files, after the content was erased; gave_up: delete them yourself; null before */
    deletion: "under_way" | "gave_up" | null;
  } | null;
  /** the last 100, oldest first */
  attempts: (DeliveryAttempt)[];
  /** with `code=true`: the best code of the email */
  code?: string | undefined;
  /** with `link=true`: the link of the email that confirms or signs in, by its words and its URL; else the first one. Links that unsubscribe do not count */
  link?: string | undefined;
};

export type Billing = {
  subscription: {
    plan: string;
    status: SubscriptionStatus;
    /** ISO 8601 in UTC, whole seconds */
    current_period_start: string;
    /** ISO 8601 in UTC, whole seconds */
    current_period_end: string;
    trial_end: string | null;
  };
  usage: {
    /** after a plan change: the sum of the shares of both plans, by time */
    emails_included: number;
    emails_used: number;
    /** included emails of the current plan that are left */
    emails_remaining: number;
  };
  costs: {
    /** after a plan change: the sum of the shares of both plans, by time */
    base_cost: number;
    overage_cost: number;
    /** cost of the usage so far */
    total_cost: number;
    /** estimated cost of the whole period, if usage continues at the same rate */
    projected_cost: number;
    /** ISO 4217 */
    currency: string;
  };
  /** ISO 8601 in UTC, whole seconds */
  next_billing_date: string;
};

export type Bucket = {
  id: string;
  /** by which addresses and receivers name it */
  name: string;
  /** HTTPS URL of the S3 API */
  endpoint: string;
  /** name of the bucket at its provider */
  bucket: string;
  /** region that is signed, such as eu-central-1; auto for R2 and GCS */
  region: string;
  /** begins each key */
  prefix: string;
  /** where a URL names the bucket: in its path, or before the host of the endpoint */
  addressing: "path" | "host";
  /** the secret key is never shown */
  access_key_id: string;
  description: string | null;
  /** ISO 8601 in UTC, whole seconds */
  created_at: string;
  /** ISO 8601 in UTC, whole seconds */
  updated_at: string;
  /** the Kubernetes resource that owns it; changes must be made there; null when there is none */
  managed_by: ManagedBy | null;
};

export type ClientCertificate = {
  /** PEM: the certificate of Inlet, then those of its authorities, if any */
  certificate: string;
  /** PEM, without a passphrase */
  private_key: string;
};

export type CountRefusalsResponse = {
  /** refused emails, each for one mailbox */
  count: number;
};

export type CreateAddressRequest = {
  /** the part before the @, up to 64 octets, without a plus; * receives mail for every name without an address (catch-all, own domains only); default: random */
  local_part?: string | undefined;
  /** the shared domain (default), a verified domain of the account, or a subdomain of it; *.example.com covers all subdomains of example.com */
  domain?: string | undefined;
  /** publicly reachable HTTPS URL that receives the webhooks; null for an address whose email is only stored: it can be read, and no webhook is sent */
  webhook_url: string | null;
  mode?: WebhookMode | undefined;
  /** filter in CEL: it gets only emails for which this is true; null for all */
  when?: string | null | undefined;
  format?: WebhookFormat | undefined;
  signing?: WebhookSigning | undefined;
  /** how Inlet authenticates to it: replaces the whole; null for not at all */
  auth?: ReceiverAuth | null | undefined;
  /** false: no new email is sent to webhook_url; further receivers get it, and it can be read; default: true */
  webhook_enabled?: boolean | undefined;
  /** default: true, or false when ttl_hours is given */
  is_permanent?: boolean | undefined;
  /** hours until expiry when not permanent; default: the account's default_ttl_hours */
  ttl_hours?: number | undefined;
  /** how the payload carries attachments and the raw email, and its optional parts; links require LINK_KEYS in the settings of the API */
  payload?: {
    /** default: inline */
    attachments?: "inline" | "omit" | "url" | undefined;
    /** default: false */
    raw?: boolean | undefined;
    /** what Inlet reads from the email into `extracted` of the payload; default: none */
    extract?: ("codes" | "links" | "markdown" | "hidden_text" | "invitation" | "bounce" | "report" | "forwarded" | "e_invoice")[] | undefined;
    /** files that Inlet stores in a bucket of yours before it calls the receiver; default: null (none) */
    storage?: {
      /** name of the bucket in Inlet */
      bucket: string;
      /** which files of the email */
      what: ("raw" | "attachments")[];
      /** each attempt has fresh links to the files that work so long; null: no links; default: null */
      link_hours?: number | null | undefined;
    } | null | undefined;
  } | undefined;
  /** free text */
  description?: string | undefined;
  /** spam score above which an email is refused with 550 5.7.1 after DATA, unless another recipient accepts it; default: null (never) */
  spam_refuse_above?: number | null | undefined;
  /** whose email the address accepts; other email is refused with 550 5.7.1 after DATA; default: null (everybody) */
  allowed_senders?: AllowedSenders | null | undefined;
  /** whether an email that contains malware is refused with 550 5.7.1 after DATA, unless another recipient accepts it: then it is held; default: null (the account's) */
  refuse_infected?: boolean | null | undefined;
  /** which attachments the address accepts; others are refused after DATA, with 550 5.7.1 for the type and 552 5.2.3 for the size, unless another recipient accepts the email; default: null (all) */
  allowed_attachments?: {
    /** content types as the payload reports them, such as application/pdf or image/*; an empty list allows no attachment; null or absent: all types */
    types?: (string)[] | null | undefined;
    /** of the content of each attachment; null or absent: any size */
    max_bytes?: number | null | undefined;
  } | null | undefined;
  /** emails that the address accepts in an hour; above, senders get 450 4.7.1 and try again; default: null (no limit) */
  max_per_hour?: number | null | undefined;
  /** key-value pairs, by which lists and tokens choose addresses; replaces all of them; default: none */
  labels?: { [name: string]: string } | undefined;
  /** rules for its email, evaluated in their order after the account's; default: none */
  rules?: (RuleRequest)[] | undefined;
  /** asked about each email before the reply to its sender: see docs/deciding-hooks.md; default: null (the account's) */
  hook?: {
    /** publicly reachable HTTPS URL that receives the webhooks */
    url: string;
    /** expression in CEL: the hook is asked only about such email; null for all email */
    when?: string | null | undefined;
    /** milliseconds that the hook may take for its answer */
    timeout_ms?: number | undefined;
    /** what happens without a valid answer: accept: the email is delivered as if there were no hook; defer: the sender gets 451 and tries again later */
    on_error?: "accept" | "defer" | undefined;
  } | null | undefined;
  /** email that the address expects: its absence is an address.silent event; default: null (none) */
  expect?: {
    /** how often such an email arrives at least, such as 30m, 26h or 8d */
    every: string;
    /** expression in CEL: only such email is expected; null for all email */
    when?: string | null | undefined;
    /** how much later it may be, such as 0m or 1h */
    grace?: string | undefined;
  } | null | undefined;
  /** whether signed reply addresses of this address are checked: see docs/reply-addresses.md; requires REPLY_KEYS in the settings of the API; default: false */
  reply_addresses?: boolean | undefined;
  /** true: email to other than its valid reply addresses is refused with 550 5.1.1; turns reply_addresses on; requires REPLY_KEYS in the settings of the API; default: false */
  reply_only?: boolean | undefined;
  /** hours after its delivery that the content of an email is stored, at most as long as this installation stores it; 0: it is removed when delivered, which excludes links in the payload; default: null (the account's) */
  retention_hours?: number | null | undefined;
  /** fields that records and events of new emails do not contain; webhooks contain them; default: null (the account's) */
  redact?: ("subject" | "from")[] | null | undefined;
};

export type CreateBucketRequest = {
  /** unique in this environment; addresses and receivers name it */
  name: string;
  /** HTTPS URL of the S3 API, without a path */
  endpoint: string;
  /** name of the bucket at its provider */
  bucket: string;
  /** region that is signed; default: us-east-1 */
  region?: string | undefined;
  /** begins each key: up to five folders, each with a slash at its end; default: none */
  prefix?: string | undefined;
  /** default: path */
  addressing?: "path" | "host" | undefined;
  /** free text */
  description?: string | null | undefined;
  credentials: {
    /** of an identity that may write to the bucket, and no more */
    access_key_id: string;
    /** stored encrypted, and never shown */
    secret_access_key: string;
  };
};

export type CreateDashboardLinkRequest = {
  /** of the session; default: the caller's own; it cannot have more */
  permissions?: (Permission)[] | undefined;
  /** default: the environment of the caller; a test token can choose only test */
  environment?: Environment | undefined;
  /** how long the link works; default: 300 */
  expires_in_seconds?: number | undefined;
};

export type CreateDomainRequest = {
  /** two to eight labels; internationalized names in Unicode or ASCII form */
  domain: string;
};

export type CreateMemberLinkRequest = {
  /** how long the link works; default: seven days; default: 604800 */
  link_expires_in_seconds?: number | undefined;
};

export type CreateNotificationRequest = {
  /** publicly reachable HTTPS URL that receives the webhooks */
  url: string;
  /** types of events to send; null: all but address.refusing, also future ones */
  types?: (NotificationType)[] | null | undefined;
  description?: string | null | undefined;
  /** false: no new events are sent */
  is_enabled?: boolean | undefined;
};

export type CreateReceiverRequest = {
  /** publicly reachable HTTPS URL that receives the webhooks; required with the mode push */
  url?: string | null | undefined;
  description?: string | null | undefined;
  /** false: no new email is sent to it */
  is_enabled?: boolean | undefined;
  /** how the payload carries attachments and the raw email, and its optional parts; links require LINK_KEYS in the settings of the API */
  payload?: {
    /** default: inline */
    attachments?: "inline" | "omit" | "url" | undefined;
    /** default: false */
    raw?: boolean | undefined;
    /** what Inlet reads from the email into `extracted` of the payload; default: none */
    extract?: ("codes" | "links" | "markdown" | "hidden_text" | "invitation" | "bounce" | "report" | "forwarded" | "e_invoice")[] | undefined;
    /** files that Inlet stores in a bucket of yours before it calls the receiver; default: null (none) */
    storage?: {
      /** name of the bucket in Inlet */
      bucket: string;
      /** which files of the email */
      what: ("raw" | "attachments")[];
      /** each attempt has fresh links to the files that work so long; null: no links; default: null */
      link_hours?: number | null | undefined;
    } | null | undefined;
  } | undefined;
  mode?: WebhookMode | undefined;
  /** filter in CEL: it gets only emails for which this is true; null for all */
  when?: string | null | undefined;
  format?: WebhookFormat | undefined;
  signing?: WebhookSigning | undefined;
  /** how Inlet authenticates to it: replaces the whole; null for not at all */
  auth?: ReceiverAuth | null | undefined;
};

export type CreateReplyAddressRequest = {
  /** what a reply belongs to, such as the number of a ticket; the local part has 64 characters in all, so the longest possible one depends on the address */
  reference: string;
  /** hours until it expires; default: 720 */
  ttl_hours?: number | undefined;
  /** email address whose replies are bound; default: anybody */
  sender?: string | undefined;
  /** of a catch-all or wildcard address, which needs it: the mailbox that gets the tag */
  mailbox?: string | undefined;
};

export type CreateReplyAddressResponse = {
  /** the reply address: anyone who knows it can write to it */
  address: string;
  reference: string;
  /** ISO 8601 in UTC, whole seconds */
  expires_at: string;
  /** for whom it was made; null for anybody */
  sender: string | null;
};

export type CreateSenderListRequest = {
  /** unique in the account; expressions name it: lists.partners */
  name: string;
  /** free text */
  description?: string | undefined;
  /** addresses, domains (partner.example), their subdomains (*.partner.example), IP addresses and networks (203.0.113.0/24); default: none */
  entries?: (string)[] | undefined;
};

export type CreateSessionRequest = {
  /** code of a single-use link */
  code?: string | undefined;
  /** an API token, instead of a code */
  token?: string | undefined;
  /** with a code: replace the session of another account in this browser; otherwise 409, and the code remains valid; default: false */
  switch_account?: boolean | undefined;
};

export type CreateTokenRequest = {
  name: string;
  /** default: the environment of the calling token; a test token can create only test tokens */
  environment?: Environment | undefined;
  /** default: all, or for a member their own; a token can grant only permissions that it has */
  permissions?: (Permission)[] | undefined;
  /** the only addresses that the token reaches: everything else is 404 for it; default: null (all) */
  address_ids?: (string)[] | null | undefined;
  /** the token reaches only addresses with all these labels, and creates addresses with them: everything else is 404 for it; default: null (all) */
  labels?: { [name: string]: string } | null | undefined;
  /** when it ends, in the future; default: never, or when the calling token ends, which cannot create one that lasts longer */
  expires_at?: string | null | undefined;
};

export type CreatedToken = {
  id: string;
  name: string;
  /** first characters of the token, for identification */
  prefix: string;
  /** environment of the token */
  environment: Environment;
  permissions: (Permission)[];
  /** the only addresses that it reaches; null: it is not limited to ids */
  address_ids: (string)[] | null;
  /** it reaches only addresses with all these labels; null: it is not limited to labels */
  labels: { [name: string]: string } | null;
  /** the person whose token it is, and with whom it ends; null: it is of the account */
  member_id: string | null;
  /** ISO 8601 in UTC, whole seconds */
  created_at: string;
  /** requests with it are refused from then on; null when it does not expire */
  expires_at: string | null;
  /** the token itself, shown only in this response */
  token: string;
};

export type DashboardLink = {
  /** opens the dashboard, signed in; works once */
  url: string;
  /** ISO 8601 in UTC, whole seconds */
  expires_at: string;
};

export type DecidedBy = {
  /** field: a setting of the address, or of its account, by its name */
  kind: "field" | "rule" | "hook";
  /** of the field or the rule; hook for a deciding hook */
  name: string;
  /** whose it is; null for a hook */
  scope: "account" | "address" | null;
};

export type DeleteRefusalsOfSenderResponse = {
  /** number of records */
  deleted: number;
};

export type Deleted = {
  id: string;
  deleted: true;
};

export type DeliverabilityCheck = {
  /** the TXT record of MTA-STS; the host that serves its policy; the TXT record for TLS reports; that for DMARC; whether the MX hosts answer on port 25; their certificates; their TLSA records */
  kind: "mta_sts" | "mta_sts_host" | "tls_rpt" | "dmarc" | "mx_reachable" | "mx_certificate" | "dane";
  /** `unknown`: not checked, or not possible from here; `off`: not in use */
  status: "ok" | "missing" | "wrong" | "unknown" | "off";
  /** what was found, or what to do */
  message: string;
  /** the DNS record to set; null when there is none to copy */
  record: {
    type: "TXT" | "CNAME" | "TLSA";
    name: string;
    value: string;
  } | null;
  /** values in the DNS, or one line for each MX host */
  found: (string)[];
};

export type Delivery = {
  /** the payload's event_id */
  event_id: string;
  /** id of the address, or of the notification (ntf_…) */
  address_id: string;
  /** further receiver of the address (rcv_…), or the same as address_id */
  receiver_id: string;
  /** the same for the deliveries of an email to all receivers of its address */
  email_id: string;
  /** pending: not attempted yet, or not since a replay; retrying: waits for its next attempt; delivered: the receiver accepted it, or it is stored and there is no webhook to send: see outcome; held: waits for a release; dropped: gets no webhook */
  status: "pending" | "retrying" | "delivered" | "failed" | "held" | "dropped";
  /** of the last attempt; or canceled; or why Inlet ended it: lost (no stream has the email any more), expired (no attempt succeeded in time), unread (no consumer acknowledged it in time), backlog_full (too many emails waited); or why a delivered email was stored without a webhook: no_url (its address has no webhook_url), disabled (webhook_enabled is false), filtered (`when` is false). null before the first attempt */
  outcome: "accepted" | "refused" | "busy" | "unreachable" | "storage_failed" | "blocked" | "canceled" | "lost" | "expired" | "unread" | "backlog_full" | "no_url" | "disabled" | "filtered" | null;
  /** SMTP envelope sender; empty for bounces, and when redacted or erased */
  mail_from: string;
  /** the name of the address in RCPT, as the sender wrote it; null when erased, for notifications, and for emails of earlier versions */
  recipient: string | null;
  /** From header; null when absent, redacted or erased */
  from: string | null;
  /** Subject header, null when absent, redacted or erased; the type of a notification */
  subject: string | null;
  /** size of the raw mail */
  size_bytes: number;
  /** ISO 8601 in UTC, whole seconds */
  received_at: string;
  /** not before this time; null when nothing is due. Of an email that a consumer asks for: from when on it can be leased, or when its lease ends */
  next_attempt_at: string | null;
  /** of the last change of this record */
  updated_at: string;
  /** when a request erased the content; null when none did */
  content_erased_at: string | null;
  /** number of all attempts */
  attempt_count: number;
  /** of the response to the last attempt; null before one, and without a response */
  status_code: number | null;
  /** why the last attempt got no response; null when it got one, and before one */
  error: string | null;
  /** that rules added */
  tags: (string)[];
  /** fail: perhaps From is forged; null when not checked */
  dmarc: string | null;
  /** the conversation of the email at its address, as its headers claim it; null without message ids, and for emails of earlier versions */
  thread_id: string | null;
  /** W3C trace id of the email; the `traceparent` of each of its webhooks contains it */
  trace_id: string;
  /** why the filter of the receiver failed on this email, and so counted as true; null when it did not */
  filter_error: string | null;
  /** what rules decided; null when none was evaluated */
  ruling: Ruling | null;
  /** when a request released it; null when none did */
  released_at: string | null;
  /** what rules and requests did to it, oldest first: the last 21 */
  history: ({
    /** ISO 8601 in UTC, whole seconds */
    time: string;
    /** held and dropped by rules, by their hook, or dropped by a request; the others by a request */
    did: "held" | "released" | "dropped" | "replayed" | "retried" | "canceled";
    /** who asked for it; inlet: rules or a hook */
    actor: "member" | "user" | "token" | "operator" | "resource" | "inlet";
    /** name of a person, else the id of the token or session; null for inlet */
    by: string | null;
  })[];
  /** files of the email in your bucket; null when there are none */
  storage: {
    /** of the bucket in Inlet */
    name: string;
    endpoint: string;
    /** its name at the provider */
    bucket: string;
    /** of the raw email first, if it is stored */
    keys: (string)[];
    /** of these files, after the content was erased; gave_up: delete them yourself; null before */
    deletion: "under_way" | "gave_up" | null;
  } | null;
  /** the last 100, oldest first */
  attempts: (DeliveryAttempt)[];
};

export type DeliveryAttempt = {
  /** when the attempt began */
  time: string;
  outcome: "accepted" | "refused" | "busy" | "unreachable" | "storage_failed" | "blocked";
  /** null when no answer came */
  status_code: number | null;
  latency_ms: number;
  /** why no answer came */
  error: string | null;
  /** first KiB of the answer's body; null when it had none */
  excerpt: string | null;
  /** Location of a redirect, which Inlet does not follow; null without one */
  location: string | null;
  /** with include=headers: what was sent, signatures and credentials masked; null when it is no longer stored or nothing was sent */
  request_headers?: (Header)[] | null | undefined;
  /** with include=headers: what the receiver responded; null like request_headers */
  response_headers?: (Header)[] | null | undefined;
};

export type DeliveryListItem = {
  /** the payload's event_id */
  event_id: string;
  /** id of the address, or of the notification (ntf_…) */
  address_id: string;
  /** further receiver of the address (rcv_…), or the same as address_id */
  receiver_id: string;
  /** the same for the deliveries of an email to all receivers of its address */
  email_id: string;
  /** pending: not attempted yet, or not since a replay; retrying: waits for its next attempt; delivered: the receiver accepted it, or it is stored and there is no webhook to send: see outcome; held: waits for a release; dropped: gets no webhook */
  status: "pending" | "retrying" | "delivered" | "failed" | "held" | "dropped";
  /** of the last attempt; or canceled; or why Inlet ended it: lost (no stream has the email any more), expired (no attempt succeeded in time), unread (no consumer acknowledged it in time), backlog_full (too many emails waited); or why a delivered email was stored without a webhook: no_url (its address has no webhook_url), disabled (webhook_enabled is false), filtered (`when` is false). null before the first attempt */
  outcome: "accepted" | "refused" | "busy" | "unreachable" | "storage_failed" | "blocked" | "canceled" | "lost" | "expired" | "unread" | "backlog_full" | "no_url" | "disabled" | "filtered" | null;
  /** SMTP envelope sender; empty for bounces, and when redacted or erased */
  mail_from: string;
  /** the name of the address in RCPT, as the sender wrote it; null when erased, for notifications, and for emails of earlier versions */
  recipient: string | null;
  /** From header; null when absent, redacted or erased */
  from: string | null;
  /** Subject header, null when absent, redacted or erased; the type of a notification */
  subject: string | null;
  /** size of the raw mail */
  size_bytes: number;
  /** ISO 8601 in UTC, whole seconds */
  received_at: string;
  /** not before this time; null when nothing is due. Of an email that a consumer asks for: from when on it can be leased, or when its lease ends */
  next_attempt_at: string | null;
  /** of the last change of this record */
  updated_at: string;
  /** when a request erased the content; null when none did */
  content_erased_at: string | null;
  /** number of all attempts */
  attempt_count: number;
  /** of the response to the last attempt; null before one, and without a response */
  status_code: number | null;
  /** why the last attempt got no response; null when it got one, and before one */
  error: string | null;
  /** that rules added */
  tags: (string)[];
  /** fail: perhaps From is forged; null when not checked */
  dmarc: string | null;
  /** the conversation of the email at its address, as its headers claim it; null without message ids, and for emails of earlier versions */
  thread_id: string | null;
};

export type Domain = {
  id: string;
  /** in A-labels, as addresses show it */
  domain: string;
  /** the same for people; differs for internationalized names */
  unicode_domain: string;
  /** true since the first verification; only then can addresses be created on the domain */
  is_verified: boolean;
  /** failed: the last DNS lookup did not verify the domain; verify again after the problem is solved */
  status: "pending" | "verified" | "failed";
  /** ISO 8601 in UTC, whole seconds */
  created_at: string;
  verified_at: string | null;
  /** time of the last DNS lookup; null before the first */
  checked_at: string | null;
  /** why the last DNS lookup did not verify the domain: the record is missing, has another value, the DNS did not respond, or another account or environment has verified this domain, a parent domain or a subdomain; null after a success and before the first lookup */
  problem: DomainProblem | null;
  /** the DNS record that verifies the domain; do not remove it */
  verification: {
    type: "TXT";
    name: string;
    value: string;
    /** values of the TXT records with this name; at most 20, each cut at 255 characters */
    found: (string)[];
  };
  /** the MX records; needed to receive mail, not for the verification */
  mx: {
    expected: (string)[];
    /** most preferred first */
    found: (string)[];
    is_ok: boolean;
  };
  mta_sts: MtaStsMode;
  /** further records that make email to and from the domain safe, and the MX hosts; checked with the other records once the domain is verified, and then every day */
  deliverability: {
    /** null before the first check */
    checked_at: string | null;
    checks: (DeliverabilityCheck)[];
  };
  /** the Kubernetes resource that owns this domain; null when none does */
  managed_by: ManagedBy | null;
};

export type DomainProblem = "txt_missing" | "txt_differs" | "dns_unavailable" | "taken";

export type Email = {
  /** the same on every attempt, so that receivers can ignore repeats */
  event_id: string;
  /** the receiving address */
  address_id: string;
  /** when this payload was built */
  timestamp: string;
  /** as in the webhook; null for emails of earlier versions */
  recipient: string | null;
  /** as in the webhook; empty for emails of earlier versions */
  recipients: (string)[];
  envelope: {
    /** SMTP envelope sender; empty for bounces (the null sender) */
    mail_from: string;
    /** recipients of the SMTP transaction that belong to this account */
    rcpt_to: (string)[];
    /** name that the sending server gave in HELO or EHLO */
    helo_domain: string;
    /** IP address of the sending server */
    remote_ip: string;
  };
  /** null for a header that the email does not have */
  headers: {
    from: string | null;
    to: string | null;
    cc: string | null;
    bcc: string | null;
    subject: string | null;
    /** time of the Date header; null when absent or unreadable */
    date: string | null;
    message_id: string | null;
    in_reply_to: string | null;
    references: string | null;
    reply_to: string | null;
    /** all headers in their order in the email, repeated ones too; folded lines are joined and encoded words decoded */
    all: ({
      name: string;
      value: string;
    })[];
  };
  content: {
    /** plain text body; null when the email has none */
    text: string | null;
    /** size of the whole raw email */
    size_bytes: number;
    /** link to the raw email with a limited lifetime, when the address asks for it */
    raw_url?: string | undefined;
    /** true when text is longer than 262,144 characters and was cut */
    is_cut: boolean;
    /** whether the email has an HTML body */
    has_html: boolean;
  };
  attachments: ({
    /** name in the email; attachment-<n> when it has none */
    filename: string;
    /** MIME type */
    content_type: string;
    /** decoded size */
    size_bytes: number;
    /** link to the content with a limited lifetime, when the address has attachments linked */
    content_url?: string | undefined;
    /** without angle brackets, of a picture in the text (cid: links of the HTML body); null for files, and when the part has none */
    content_id: string | null;
    /** what the email says of the part (Content-Disposition); null when it says nothing */
    disposition: "attachment" | "inline" | null;
    /** method of an invitation (text/calendar): REQUEST, REPLY, CANCEL …; null for every other part */
    method: string | null;
  })[];
  spam: Spam;
  /** absent when nothing scans email for malware */
  virus?: Virus | undefined;
  /** the results behind the words of spam.details; null when authentication is switched off */
  authentication: Authentication | null;
  /** text after the + in the recipient that the sender used; null without a + */
  plus_tag: string | null;
  /** absent unless the address has reply addresses turned on (reply_addresses) */
  reply?: Reply | undefined;
  /** conversation at this address, as the headers claim it: a hint; absent without message ids */
  thread_id?: string | undefined;
  /** sent by a program: an automatic reply could start a loop */
  auto_submitted: boolean;
  /** a delivery report about an earlier email */
  is_bounce: boolean;
  /** sent through a mailing list or in bulk */
  is_list: boolean;
  /** text above the quoted email; null when it cannot be identified with certainty */
  reply_text: string | null;
  /** problems while parsing the email; empty for nearly every email */
  parse_warnings: (ParseWarning)[];
  /** of the author (S/MIME, PGP), not of DKIM; absent for email without one */
  signature?: MailSignature | undefined;
  /** the email or a part of it is encrypted, and Inlet cannot read that; absent for other email */
  encrypted?: "smime" | "pgp" | undefined;
  /** that rules added to the email; absent when none did */
  tags?: (string)[] | undefined;
  /** what the receiver asks for with payload.extract; absent when that is nothing */
  extracted?: Extracted | undefined;
  metadata: {
    /** end of DATA */
    received_at: string;
    /** from received_at until the payload was built */
    processing_time_ms: number;
    /** files of the email in your bucket; absent unless the receiver has `payload.storage` */
    storage?: {
      /** of the bucket in Inlet */
      name: string;
      endpoint: string;
      /** its name at the provider */
      bucket: string;
      /** the raw email; absent unless it is stored */
      raw?: {
        key: string;
        /** digest of the content, in hex */
        sha256: string;
        size_bytes: number;
        /** link to the file, when the receiver asks for links */
        url?: string | undefined;
      } | undefined;
      /** in the order of `attachments`; absent unless they are stored */
      attachments?: ({
        key: string;
        /** digest of the content, in hex */
        sha256: string;
        size_bytes: number;
        /** link to the file, when the receiver asks for links */
        url?: string | undefined;
      })[] | undefined;
      /** absent without links */
      urls_expire_at?: string | undefined;
    } | undefined;
    /** 0 on the first attempt */
    retry_count: number;
  };
  /** true in a test webhook, else absent */
  is_test?: boolean | undefined;
};

export type Environment = "live" | "test";

export type Error = {
  error: "bad_request" | "invalid_json" | "unauthorized" | "forbidden" | "https_required" | "not_found" | "method_not_allowed" | "request_timeout" | "conflict" | "payload_too_large" | "unsupported_media_type" | "validation_failed" | "rate_limit_exceeded" | "headers_too_large" | "internal_error" | "unavailable";
  /** human-readable explanation */
  message: string;
  /** for validation_failed: the first invalid field and the rule that it violates; for conflict: the field whose value is not available, if one is the cause */
  details?: {
    field: string;
    code: "required" | "invalid_type" | "invalid_url" | "not_https" | "not_public" | "too_small" | "too_big" | "too_long" | "unknown_field" | "conflict" | "invalid_value";
    /** for an invalid expression: where its error is, in characters from 0 */
    position?: number | undefined;
  } | undefined;
  /** for rate_limit_exceeded: seconds to wait */
  retry_after?: number | undefined;
  /** for a submitted email: what became of each recipient */
  recipients?: (RecipientResult)[] | undefined;
};

export type EvaluatedRule = {
  name: string;
  /** whose rule it is */
  scope: "account" | "address";
  action: "refuse" | "drop" | "hold" | "tag";
  /** a rule that failed does nothing */
  result: "matched" | "not_matched" | "failed";
  /** why it failed; null when it did not */
  error: string | null;
  /** name is a field of the address or the account, such as allowed_senders */
  is_built_in?: true | undefined;
};

export type Expectation = {
  /** how often such an email arrives at least, such as 30m, 26h or 8d */
  every: string;
  /** expression in CEL: only such email is expected; null for all email */
  when: string | null;
  /** how much later it may be, such as 0m or 1h */
  grace: string;
};

export type ExpressionTest = {
  /** value of the expression; null when it failed at run time */
  result: boolean | null;
  /** why it failed, for example because a header is missing; null when it did not */
  error: {
    message: string;
    /** place in the expression, in characters from 0 */
    position: number;
  } | null;
  /** what differs from a received email, and what expressions do not see of this one */
  warnings: (string)[];
};

export type Extracted = {
  /** codes for logins and confirmations, best first, at most 10 */
  codes?: (ExtractedCode)[] | undefined;
  /** visible links in their order, each URL once, at most 100 */
  links?: (ExtractedLink)[] | undefined;
  /** the HTML as a person sees it, else the text, as Markdown without HTML and images; at most 131,072 characters */
  markdown?: string | undefined;
  /** text that a person does not see; null when there is none */
  hidden_text?: ExtractedHiddenText | null | undefined;
  /** the event of an invitation, or of an answer to one; null for other email */
  invitation?: ExtractedInvitation | null | undefined;
  /** recipients that an earlier email did not reach, and why; null for other email */
  bounce?: ExtractedBounce | null | undefined;
  /** a report to the owner of a domain; null for other email */
  report?: ExtractedReport | null | undefined;
  /** the original of a forwarded email, as the forwarder claims it; null for other email */
  forwarded?: ExtractedForwarded | null | undefined;
  /** with forwarded: Gmail, Outlook or iCloud asks to confirm that a mailbox forwards its email here; absent for other email */
  forwarding_request?: ExtractedForwardingRequest | undefined;
  /** the invoice in an XML file or a PDF, as its sender claims it; null for other email */
  e_invoice?: ExtractedEInvoice | null | undefined;
  /** with e_invoice: those after the first, at most 9; absent without any */
  further_e_invoices?: (ExtractedEInvoice)[] | undefined;
};

export type ExtractedBounce = {
  /** at least one */
  recipients: ({
    /** whom the earlier email was for */
    address: string;
    /** what happened (RFC 3464): given up, still being tried, delivered, handed to a server that sends no reports, or sent on to several addresses */
    action: "failed" | "delayed" | "delivered" | "relayed" | "expanded";
    /** status of three numbers (RFC 3463); null when the bounce says none */
    status: string | null;
    /** reply of the server that refused it, or the reason in words; null without one */
    diagnostic: string | null;
    /** whether another email to the address would probably fail too: the delivery was given up, and the status or the code of the reply begins with 5 */
    is_permanent: boolean;
  })[];
  /** recipients beyond the first 100, which are left out */
  recipients_left_out: number;
  /** Message-ID of the earlier email, with angle brackets; null when it is not returned */
  original_message_id: string | null;
  /** address that the earlier email was sent to, where it was redirected from; null when the bounce does not say it */
  original_recipient: string | null;
};

export type ExtractedCode = {
  /** without the spaces and hyphens that group digits */
  value: string;
  kind: "digits" | "alphanumeric";
  /** where it is; the best place of several */
  source: "subject" | "text" | "html";
  /** the text around it, at most 120 characters, for people */
  near: string;
};

export type ExtractedEInvoice = {
  /** UN/CEFACT Cross Industry Invoice, or OASIS UBL */
  syntax: "cii" | "ubl";
  /** factur_x, zugferd, xrechnung, peppol, en16931, other; zugferd is version 1; new values may be added */
  format: string;
  /** specification that the invoice names (BT-24), such as a URN */
  profile: string | null;
  /** UNTDID 1001: 380 for an invoice, 381 for a credit note */
  type_code: string | null;
  /** BT-1 */
  number: string | null;
  /** date as YYYY-MM-DD (BT-2) */
  issued: string | null;
  /** name (BT-27) */
  seller: string | null;
  /** with tax, as a decimal number such as 119.00 (BT-112) */
  total: string | null;
  /** ISO 4217 (BT-5) */
  currency: string | null;
  /** index of its file in attachments, from 0: the PDF or the XML */
  attachment: number;
  /** name of the XML in the PDF; null when the attachment is the XML */
  xml_filename: string | null;
  /** the XML in the PDF, in Unicode; null when the attachment is the XML, or for more than 524,288 characters */
  xml: string | null;
};

export type ExtractedForwarded = {
  /** address that forwarded it; null when the email names none */
  by: string | null;
  /** in the text below its headers, as a file (message/rfc822), or sent on by a server, which changes nothing but a few headers */
  kind: "inline" | "attached" | "automatic";
  original: {
    /** as the email writes it, as are the fields below */
    from: string | null;
    to: string | null;
    cc: string | null;
    date: string | null;
    subject: string | null;
    /** at most 65,536 characters; null for an email without text */
    text: string | null;
  };
  /** how often it was forwarded, as far as its text or files show */
  depth: number;
};

export type ExtractedForwardingRequest = {
  /** mailbox whose email would be forwarded */
  address: string | null;
  /** that confirms the forwarding */
  code: string | null;
  /** link that confirms the forwarding; never fetched */
  url: string | null;
};

export type ExtractedHiddenText = {
  /** its beginning, at most 500 characters */
  sample: string;
  /** characters of all hidden text */
  chars: number;
  /** how it is hidden: not_displayed, zero_size, same_color, transparent, off_screen, invisible_characters; new values may be added */
  reasons: (string)[];
};

export type ExtractedInvitation = {
  /** what the email asks for: REQUEST, REPLY, CANCEL …; null for an event without a request */
  method: string | null;
  /** the same in all emails about the event */
  uid: string | null;
  /** grows with each revision of the event */
  sequence: number;
  /** TENTATIVE, CONFIRMED or CANCELLED */
  status: string | null;
  organizer: {
    /** email address; another URI when it has none */
    address: string;
    name: string | null;
  } | null;
  /** of a REPLY, the one who answers */
  attendees: ({
    /** email address; another URI when it has none */
    address: string;
    name: string | null;
    /** NEEDS-ACTION, ACCEPTED, DECLINED, TENTATIVE, DELEGATED or one of another program */
    status: string;
    /** REQ-PARTICIPANT, OPT-PARTICIPANT, NON-PARTICIPANT or CHAIR */
    role: string;
  })[];
  /** attendees beyond the first 200, which are left out */
  attendees_left_out: number;
  summary: string | null;
  location: string | null;
  start: ExtractedTime | null;
  /** first time after the event: of a whole day, the next day */
  end: ExtractedTime | null;
  /** RRULE, RDATE and EXDATE as iCalendar text, a line each */
  recurrence: string | null;
  /** start of the occurrence that the email is about; null when it is about all of them */
  recurrence_id: ExtractedTime | null;
  /** further events of the calendar, which are left out */
  other_events: number;
};

export type ExtractedLink = {
  /** absolute http or https URL; never fetched */
  url: string;
  /** what a person clicks on, at most 200 characters; an image shows its alternative text; null for a bare URL, and when there is no text */
  text: string | null;
  /** host of the URL, in ASCII (punycode) */
  host: string;
  /** the text is a URL or a host name, but of another host: typical for fraud */
  shows_other_host: boolean;
  /** ends a subscription, by its text, its URL or the List-Unsubscribe header */
  is_unsubscribe: boolean;
};

export type ExtractedReport = {
  /** who sends in the name of the domain (DMARC), whether servers reach it with TLS (TLS-RPT), or a report about one email, such as a complaint (ARF) */
  kind: "dmarc" | "tls-rpt" | "arf";
  /** who sends the report */
  organization: string | null;
  /** of the organization; null for arf */
  report_id: string | null;
  /** that the report is about */
  domain: string | null;
  /** beginning of the time that the report covers; for arf, when the email arrived */
  from: string | null;
  /** end of that time */
  to: string | null;
  /** of dmarc: the policy that the organization found in the DNS; null for what is not there */
  policy?: {
    /** policy of the domain */
    p: string | null;
    /** of its subdomains */
    sp: string | null;
    /** of subdomains that do not exist */
    np: string | null;
    /** r or s: whether the domain of DKIM may be a subdomain */
    adkim: string | null;
    /** r or s: whether the domain of SPF may be a subdomain */
    aspf: string | null;
    /** share of the emails that the policy applies to (RFC 7489) */
    pct: string | null;
    /** y while the policy is only tested (RFC 9990) */
    testing: string | null;
    /** which failures the domain wants reports about */
    fo: string | null;
  } | undefined;
  /** of dmarc */
  rows?: ({
    /** server that sent the emails */
    source_ip: string | null;
    /** number of emails */
    count: number;
    /** what the receiver did: none, pass, quarantine or reject */
    disposition: string | null;
    /** pass or fail for DMARC, where the domains must match */
    dkim: string | null;
    /** pass or fail for DMARC, where the domains must match */
    spf: string | null;
    /** why the receiver did not do what the policy says */
    reasons: ({
      type: string | null;
      comment: string | null;
    })[];
    /** domain of the From header */
    header_from: string | null;
    envelope_from: string | null;
    envelope_to: string | null;
    /** of each signature */
    dkim_results: ({
      domain: string | null;
      /** of the key; null for SPF */
      selector: string | null;
      /** `mfrom` or `helo`; null for DKIM */
      scope: string | null;
      /** pass, fail, none, neutral … */
      result: string | null;
    })[];
    spf_results: ({
      domain: string | null;
      /** of the key; null for SPF */
      selector: string | null;
      /** `mfrom` or `helo`; null for DKIM */
      scope: string | null;
      /** pass, fail, none, neutral … */
      result: string | null;
    })[];
  })[] | undefined;
  /** of dmarc: rows beyond the first 500 */
  rows_left_out?: number | undefined;
  /** of tls-rpt */
  policies?: ({
    /** sts, tlsa or no-policy-found */
    type: string | null;
    domain: string | null;
    mx_hosts: (string)[];
    successful_sessions: number;
    failed_sessions: number;
    failures: ({
      /** such as certificate-expired or starttls-not-supported */
      result_type: string | null;
      sending_ip: string | null;
      receiving_host: string | null;
      receiving_ip: string | null;
      failed_sessions: number;
      /** code or words of the sending server */
      reason: string | null;
    })[];
    /** failures beyond the first 50, which are left out */
    failures_left_out: number;
  })[] | undefined;
  /** of tls-rpt: policies beyond the first 20 */
  policies_left_out?: number | undefined;
  /** of arf: what it says about the email */
  feedback?: {
    /** abuse, fraud, virus, not-spam, auth-failure or other */
    type: string;
    user_agent: string | null;
    /** server that sent the email */
    source_ip: string | null;
    /** number of such emails that the report stands for */
    incidents: number;
    /** adsp, bodyhash, revoked, signature, spf or dmarc (RFC 6591) */
    auth_failure: string | null;
    /** envelope sender of the email */
    original_mail_from: string | null;
    /** often none: many reporters leave them out */
    original_recipients: (string)[];
    original_message_id: string | null;
  } | undefined;
};

export type ExtractedTime = {
  /** time in the time zone, such as 2026-12-01T10:00:00; a date for a whole day */
  local: string;
  /** name as in the email, UTC included; null for a time that is everywhere the same */
  time_zone: string | null;
  /** null for a whole day, a time that is everywhere the same, and an unknown time zone */
  utc: string | null;
  is_all_day: boolean;
};

export type GetNotificationSecretResponse = {
  /** signs the webhooks; starts with whsec_ */
  webhook_secret: string;
  /** until then a former secret also signs, after a rotation; null when none does */
  former_secrets_valid_until: string | null;
};

export type GetReceiverSecretResponse = {
  /** signs the webhooks; starts with whsec_ */
  webhook_secret: string;
  /** until then a former secret also signs, after a rotation; null when none does */
  former_secrets_valid_until: string | null;
};

export type GetReplayWindowResponse = {
  /** retention of the installation */
  promised_hours: number;
  /** less than promised_hours after new emails needed the room of delivered ones */
  kept_hours: number;
};

export type GetReplyKeyResponse = {
  /** signs reply addresses; starts with rkey_ */
  reply_key: string;
  /** until then, reply addresses that a former key signed are accepted; null when none are */
  former_reply_keys_valid_until: string | null;
};

export type GetSingleSignOnResponse = {
  enabled: boolean;
};

export type GetUsageSeriesResponse = {
  data: (UsageInterval)[];
  total: UsageTotal;
};

export type GetWebhookSecretResponse = {
  /** signs the webhooks; starts with whsec_ */
  webhook_secret: string;
  /** until then a former secret also signs, after a rotation; null when none does */
  former_secrets_valid_until: string | null;
};

export type Header = {
  name: string;
  value: string;
};

export type Hook = {
  /** publicly reachable HTTPS URL that is asked */
  url: string;
  /** expression in CEL: the hook is asked only about such email; null for all email */
  when: string | null;
  /** milliseconds that the hook may take for its answer */
  timeout_ms: number;
  /** what happens without a valid answer: accept: the email is delivered as if there were no hook; defer: the sender gets 451 and tries again later */
  on_error: "accept" | "defer";
};

export type HookTrace = {
  /** of the hook, or of on_error if there is an error */
  decision: "accept" | "refuse" | "defer" | "hold" | "drop";
  /** why the hook did not decide; null when it did */
  error: string | null;
  /** time of the call; 0 when it was not made */
  duration_ms: number;
};

export type InviteMemberRequest = {
  /** how the list of people and the events name the person */
  name: string;
  role: Role;
  /** how long the link works; default: seven days; default: 604800 */
  link_expires_in_seconds?: number | undefined;
};

export type InvitedMember = {
  id: string;
  name: string;
  role: Role;
  /** what the role may do */
  permissions: (Permission)[];
  /** the user at the OpenID provider: the claim sub, or a verified email address; null for a person who signs in with links */
  subject: string | null;
  /** the group at the OpenID provider that gives the role; null: the role is set here */
  group: string | null;
  /** ISO 8601 in UTC, whole seconds */
  created_at: string;
  /** last use of the dashboard, accurate to the minute; null before the first sign-in */
  last_seen_at: string | null;
  /** until then, a link that was made for this person can be used; null when there is none */
  link_expires_at: string | null;
  /** the Kubernetes resource that lists this person; null for none */
  managed_by: ManagedBy | null;
  /** opens the dashboard, signed in as this person; works once; only in this response */
  url: string;
};

export type Invoice = {
  id: string;
  /** ISO 8601 in UTC, whole seconds */
  period_start: string;
  /** ISO 8601 in UTC, whole seconds */
  period_end: string;
  amount_paid: number;
  /** amount that is not paid yet */
  amount_due: number;
  /** ISO 4217 */
  currency: string;
  status: "open" | "paid" | "void";
  /** link to the PDF; it needs no token and works for 24 hours after this response */
  invoice_pdf: string;
  /** null until the invoice is paid */
  paid_at: string | null;
};

export type JsonWebKeySet = {
  /** the current key first, then former ones that still sign */
  keys: ({
    kty: "OKP";
    crv: "Ed25519";
    /** the public key in base64url */
    x: string;
    /** SHA-256 thumbprint of the key (RFC 7638) */
    kid: string;
    use: "sig";
    alg: "EdDSA";
  })[];
};

export type LeaseResult = {
  /** leases for which this was done */
  count: number;
  /** leases that had ended, or whose email a request had canceled: nothing was done */
  lost: (string)[];
};

export type LeasedEmail = {
  /** names the lease in ack, nack and renew */
  lease_id: string;
  /** acknowledge or renew it before: else the attempt has failed, and the email comes again */
  leased_until: string;
  /** the same on every attempt: drop repeats by it */
  event_id: string;
  /** number of attempts before this one */
  retry_count: number;
  /** length of the payload */
  payload_bytes: number;
  /** null for one that is larger than a response may be: get it with GET /deliveries/{event_id}/payload */
  payload: WebhookPayload | null;
};

export type LeasedEmails = {
  /** oldest first; empty when none came in time */
  data: (LeasedEmail)[];
};

export type ListAddressesResponse = {
  data: (AddressListItem)[];
  pagination: Pagination;
};

export type ListBucketsResponse = {
  data: (Bucket)[];
};

export type ListDeliveriesOfEmailResponse = {
  data: (DeliveryListItem)[];
};

export type ListDeliveriesResponse = {
  data: (DeliveryListItem)[];
  pagination: Pagination;
};

export type ListDomainsResponse = {
  data: (Domain)[];
  pagination: Pagination;
};

export type ListDueDeliveriesResponse = {
  data: (DeliveryListItem)[];
  pagination: Pagination;
};

export type ListInvoicesResponse = {
  data: (Invoice)[];
  pagination: Pagination;
};

export type ListMembersResponse = {
  data: (Member)[];
};

export type ListNewestDeliveriesResponse = {
  /** addresses without an email have none */
  data: (DeliveryListItem)[];
};

export type ListNotificationDeliveriesResponse = {
  data: (NotificationDelivery)[];
  pagination: Pagination;
};

export type ListNotificationsResponse = {
  data: (Notification)[];
};

export type ListReceiversResponse = {
  data: (Receiver)[];
};

export type ListRefusalsResponse = {
  data: (Refusal)[];
  pagination: Pagination;
};

export type ListSenderListsResponse = {
  data: (SenderList)[];
};

export type ListSessionsResponse = {
  data: (Session)[];
};

export type ListTokensResponse = {
  data: (Token)[];
};

export type ListUsageEventsResponse = {
  data: (UsageEvent)[];
  pagination: Pagination;
};

export type LiveEvent = {
  type: "email.received" | "webhook.delivered" | "webhook.retrying" | "webhook.failed" | "delivery.replayed" | "address.created" | "address.updated" | "address.deleted" | "address.expired" | "address.failing" | "address.recovered" | "address.silent" | "address.resumed" | "token.created" | "token.deleted" | "stream.ready" | "stream.gap";
  /** ISO 8601 in UTC, whole seconds */
  at: string;
  /** for email.*, webhook.* and delivery.* */
  event_id?: string | undefined;
  /** for all but token.* and stream.* */
  address_id?: string | null | undefined;
  /** for email.*, webhook.* and delivery.*: further receiver (rcv_…), or the same as address_id */
  receiver_id?: string | undefined;
  /** for token.* */
  token_id?: string | undefined;
  /** for email.*, webhook.* and delivery.* */
  delivery?: DeliveryListItem | undefined;
  /** for webhook.* */
  attempt?: {
    /** when the attempt began */
    time: string;
    outcome: "accepted" | "refused" | "busy" | "unreachable" | "storage_failed" | "blocked";
    /** null when no answer came */
    status_code: number | null;
    latency_ms: number;
    /** why no answer came */
    error: string | null;
    /** first KiB of the answer's body; null when it had none */
    excerpt: string | null;
    /** Location of a redirect, which Inlet does not follow; null without one */
    location: string | null;
    /** from 1 */
    number: number;
  } | undefined;
  /** for stream.gap: events since then may be missing */
  since?: string | undefined;
};

export type MailSignature = {
  kind: "smime" | "pgp";
  /** whom the enclosed certificate names, as it says itself, at most 500 characters; null when it encloses none, and for PGP */
  subject: string | null;
  /** whether the text and the files are those that the key of the enclosed certificate signed; nobody asks who issued the certificate or whether it has expired. null when not checked: PGP, a part of the email only, no certificate, or an algorithm that is weak or unknown */
  is_valid: boolean | null;
};

export type ManagedBy = {
  kind: string;
  namespace: string;
  name: string;
};

export type Member = {
  id: string;
  name: string;
  role: Role;
  /** what the role may do */
  permissions: (Permission)[];
  /** the user at the OpenID provider: the claim sub, or a verified email address; null for a person who signs in with links */
  subject: string | null;
  /** the group at the OpenID provider that gives the role; null: the role is set here */
  group: string | null;
  /** ISO 8601 in UTC, whole seconds */
  created_at: string;
  /** last use of the dashboard, accurate to the minute; null before the first sign-in */
  last_seen_at: string | null;
  /** until then, a link that was made for this person can be used; null when there is none */
  link_expires_at: string | null;
  /** the Kubernetes resource that lists this person; null for none */
  managed_by: ManagedBy | null;
};

/** MTA-STS policy that is served for the domain: `testing` asks senders for reports only, with `enforce` they deliver only with TLS and a valid certificate, `none` withdraws the policy */
export type MtaStsMode = "none" | "testing" | "enforce";

export type Notification = {
  id: string;
  /** HTTPS URL that receives the events */
  url: string;
  /** types of events that are sent; null: all but address.refusing, also future ones */
  types: (NotificationType)[] | null;
  description: string | null;
  /** false: no new events are sent */
  is_enabled: boolean;
  /** time of the first failed attempt since the last accepted one; null when there is none */
  failing_since: string | null;
  /** ISO 8601 in UTC, whole seconds */
  created_at: string;
  /** ISO 8601 in UTC, whole seconds */
  updated_at: string;
  /** the Kubernetes resource that owns it; changes must be made there; null when there is none */
  managed_by: ManagedBy | null;
};

export type NotificationDelivery = {
  /** the payload's event_id */
  event_id: string;
  /** pending: not attempted yet, or not since a replay; retrying: waits for its next attempt; delivered: the receiver accepted it, or it is stored and there is no webhook to send: see outcome; held: waits for a release; dropped: gets no webhook */
  status: "pending" | "retrying" | "delivered" | "failed" | "held" | "dropped";
  /** of the last attempt; or canceled; or why Inlet ended it: lost (no stream has the email any more), expired (no attempt succeeded in time), unread (no consumer acknowledged it in time), backlog_full (too many emails waited); or why a delivered email was stored without a webhook: no_url (its address has no webhook_url), disabled (webhook_enabled is false), filtered (`when` is false). null before the first attempt */
  outcome: "accepted" | "refused" | "busy" | "unreachable" | "storage_failed" | "blocked" | "canceled" | "lost" | "expired" | "unread" | "backlog_full" | "no_url" | "disabled" | "filtered" | null;
  /** not before this time; null when nothing is due. Of an email that a consumer asks for: from when on it can be leased, or when its lease ends */
  next_attempt_at: string | null;
  /** of the last change of this record */
  updated_at: string;
  /** number of all attempts */
  attempt_count: number;
  /** type of the event */
  type: string;
  /** when the event happened */
  created_at: string;
};

export type NotificationDeliveryDetails = {
  /** the payload's event_id */
  event_id: string;
  /** pending: not attempted yet, or not since a replay; retrying: waits for its next attempt; delivered: the receiver accepted it, or it is stored and there is no webhook to send: see outcome; held: waits for a release; dropped: gets no webhook */
  status: "pending" | "retrying" | "delivered" | "failed" | "held" | "dropped";
  /** of the last attempt; or canceled; or why Inlet ended it: lost (no stream has the email any more), expired (no attempt succeeded in time), unread (no consumer acknowledged it in time), backlog_full (too many emails waited); or why a delivered email was stored without a webhook: no_url (its address has no webhook_url), disabled (webhook_enabled is false), filtered (`when` is false). null before the first attempt */
  outcome: "accepted" | "refused" | "busy" | "unreachable" | "storage_failed" | "blocked" | "canceled" | "lost" | "expired" | "unread" | "backlog_full" | "no_url" | "disabled" | "filtered" | null;
  /** not before this time; null when nothing is due. Of an email that a consumer asks for: from when on it can be leased, or when its lease ends */
  next_attempt_at: string | null;
  /** of the last change of this record */
  updated_at: string;
  /** number of all attempts */
  attempt_count: number;
  /** type of the event */
  type: string;
  /** when the event happened */
  created_at: string;
  /** the last 100, oldest first */
  attempts: (Attempt)[];
  /** as it was last sent; null when it is no longer stored */
  payload: NotificationPayload | null;
};

export type NotificationOfCertificate = {
  /** the same on every attempt: ignore a repeated one */
  event_id: string;
  /** the notification whose URL receives this */
  notification_id: string;
  type: "receiver.certificate_expiring";
  /** when it happened */
  timestamp: string;
  account_id: string;
  environment: Environment;
  data: {
    address_id: string;
    /** null when the address no longer exists */
    address: string | null;
    /** the further receiver of the address (rcv_…); null for the address's own */
    receiver_id: string | null;
    /** of the client certificate */
    subject: string;
    fingerprint_sha256: string;
    /** ISO 8601 in UTC, whole seconds */
    expires_at: string;
  };
  /** only in a test, whose data is an example */
  is_test?: true | undefined;
  metadata: {
    /** 0 on the first attempt */
    retry_count: number;
  };
};

export type NotificationOfDomain = {
  /** the same on every attempt: ignore a repeated one */
  event_id: string;
  /** the notification whose URL receives this */
  notification_id: string;
  type: "domain.unconfirmed";
  /** when it happened */
  timestamp: string;
  account_id: string;
  environment: Environment;
  data: {
    domain_id: string;
    domain: string;
    /** since then the TXT record has been missing */
    missing_since: string | null;
  };
  /** only in a test, whose data is an example */
  is_test?: true | undefined;
  metadata: {
    /** 0 on the first attempt */
    retry_count: number;
  };
};

export type NotificationOfFailingAddress = {
  /** the same on every attempt: ignore a repeated one */
  event_id: string;
  /** the notification whose URL receives this */
  notification_id: string;
  type: "address.failing";
  /** when it happened */
  timestamp: string;
  account_id: string;
  environment: Environment;
  data: {
    address_id: string;
    /** null when the address no longer exists */
    address: string | null;
    /** the further receiver of the address (rcv_…); null for the address's own */
    receiver_id: string | null;
    /** time of the first failed attempt */
    failing_since: string | null;
    /** false when the account setting disable_failing_addresses has disabled it */
    is_enabled: boolean | null;
    /** secret_rotated: it has responded with 401 or 403 since its webhook secret was rotated; auth_changed: since the authentication to it changed, or its token URL refuses; gone: it has responded with 410 Gone; null otherwise */
    reason: "secret_rotated" | "auth_changed" | "gone" | null;
  };
  /** only in a test, whose data is an example */
  is_test?: true | undefined;
  metadata: {
    /** 0 on the first attempt */
    retry_count: number;
  };
};

export type NotificationOfHeldEmail = {
  /** the same on every attempt: ignore a repeated one */
  event_id: string;
  /** the notification whose URL receives this */
  notification_id: string;
  type: "email.held";
  /** when it happened */
  timestamp: string;
  account_id: string;
  environment: Environment;
  data: {
    address_id: string;
    /** null when the address no longer exists */
    address: string | null;
    /** the further receiver of the address (rcv_…); null for the address's own */
    receiver_id: string | null;
    /** of the held email: release or drop it with this id */
    event_id: string;
    /** rule, or why a refusal became a hold */
    reason: "rule" | "cut" | "not_evaluated" | "refused_by_rule" | "infected" | "sender_not_allowed" | "sender_not_checked" | "attachment_not_allowed" | "hook" | "refused_by_hook" | "deferred_by_hook";
    /** name of the rule that matched; null without one */
    rule: string | null;
  };
  /** only in a test, whose data is an example */
  is_test?: true | undefined;
  metadata: {
    /** 0 on the first attempt */
    retry_count: number;
  };
};

export type NotificationOfInvoice = {
  /** the same on every attempt: ignore a repeated one */
  event_id: string;
  /** the notification whose URL receives this */
  notification_id: string;
  type: "invoice.created";
  /** when it happened */
  timestamp: string;
  account_id: string;
  environment: Environment;
  data: {
    invoice_id: string;
    amount: number;
    /** ISO 4217 */
    currency: string;
    /** open, or paid for an invoice over zero */
    status: string;
    /** ISO 8601 in UTC, whole seconds */
    period_start: string;
    /** ISO 8601 in UTC, whole seconds */
    period_end: string;
  };
  /** only in a test, whose data is an example */
  is_test?: true | undefined;
  metadata: {
    /** 0 on the first attempt */
    retry_count: number;
  };
};

export type NotificationOfLostEmail = {
  /** the same on every attempt: ignore a repeated one */
  event_id: string;
  /** the notification whose URL receives this */
  notification_id: string;
  type: "email.lost";
  /** when it happened */
  timestamp: string;
  account_id: string;
  environment: Environment;
  data: {
    address_id: string;
    /** null when the address no longer exists */
    address: string | null;
    /** the further receiver of the address (rcv_…); null for the address's own */
    receiver_id: string | null;
    /** of the email, which was accepted: ask its sender for it */
    event_id: string;
  };
  /** only in a test, whose data is an example */
  is_test?: true | undefined;
  metadata: {
    /** 0 on the first attempt */
    retry_count: number;
  };
};

export type NotificationOfQuota = {
  /** the same on every attempt: ignore a repeated one */
  event_id: string;
  /** the notification whose URL receives this */
  notification_id: string;
  type: "quota.near";
  /** when it happened */
  timestamp: string;
  account_id: string;
  environment: Environment;
  data: {
    /** 80 or 100: the part of the included emails that is used */
    percent: number;
    emails_used: number;
    emails_included: number;
    plan: string;
    /** bill or refuse: what happens to emails beyond these */
    over_quota: string;
    /** the same as a sentence; null for an event of an earlier release */
    message: string | null;
    /** ISO 8601 in UTC, whole seconds */
    period_start: string;
    /** ISO 8601 in UTC, whole seconds */
    period_end: string;
  };
  /** only in a test, whose data is an example */
  is_test?: true | undefined;
  metadata: {
    /** 0 on the first attempt */
    retry_count: number;
  };
};

export type NotificationOfRecoveredAddress = {
  /** the same on every attempt: ignore a repeated one */
  event_id: string;
  /** the notification whose URL receives this */
  notification_id: string;
  type: "address.recovered";
  /** when it happened */
  timestamp: string;
  account_id: string;
  environment: Environment;
  data: {
    address_id: string;
    /** null when the address no longer exists */
    address: string | null;
    /** the further receiver of the address (rcv_…); null for the address's own */
    receiver_id: string | null;
    /** delivered: the receiver accepted a webhook; changed: the address was changed */
    reason: string | null;
  };
  /** only in a test, whose data is an example */
  is_test?: true | undefined;
  metadata: {
    /** 0 on the first attempt */
    retry_count: number;
  };
};

export type NotificationOfRefusingAddress = {
  /** the same on every attempt: ignore a repeated one */
  event_id: string;
  /** the notification whose URL receives this */
  notification_id: string;
  type: "address.refusing";
  /** when it happened */
  timestamp: string;
  account_id: string;
  environment: Environment;
  data: {
    /** null for a mailbox of a domain that is no address */
    address_id: string | null;
    /** null in the same case */
    address: string | null;
    /** that was refused so often */
    mailbox: string;
    /** refused emails since the beginning of the hour */
    refusals: number;
    /** of one of them: docs/refusals.md */
    reason: string;
  };
  /** only in a test, whose data is an example */
  is_test?: true | undefined;
  metadata: {
    /** 0 on the first attempt */
    retry_count: number;
  };
};

export type NotificationOfResumedAddress = {
  /** the same on every attempt: ignore a repeated one */
  event_id: string;
  /** the notification whose URL receives this */
  notification_id: string;
  type: "address.resumed";
  /** when it happened */
  timestamp: string;
  account_id: string;
  environment: Environment;
  data: {
    address_id: string;
    /** null when the address no longer exists */
    address: string | null;
    /** received: the expected email arrived; changed: the address was changed */
    reason: string | null;
    /** when the silence was noticed */
    silent_since: string | null;
  };
  /** only in a test, whose data is an example */
  is_test?: true | undefined;
  metadata: {
    /** 0 on the first attempt */
    retry_count: number;
  };
};

export type NotificationOfSilentAddress = {
  /** the same on every attempt: ignore a repeated one */
  event_id: string;
  /** the notification whose URL receives this */
  notification_id: string;
  type: "address.silent";
  /** when it happened */
  timestamp: string;
  account_id: string;
  environment: Environment;
  data: {
    address_id: string;
    /** null when the address no longer exists */
    address: string | null;
    /** how often the address expects email, such as 26h */
    every: string;
    /** how much later it may be */
    grace: string;
    /** which email it expects; null: any */
    when: string | null;
    /** until then, with the grace, the email could be late */
    silent_at: string;
  };
  /** only in a test, whose data is an example */
  is_test?: true | undefined;
  metadata: {
    /** 0 on the first attempt */
    retry_count: number;
  };
};

export type NotificationOfToken = {
  /** the same on every attempt: ignore a repeated one */
  event_id: string;
  /** the notification whose URL receives this */
  notification_id: string;
  type: "token.created";
  /** when it happened */
  timestamp: string;
  account_id: string;
  environment: Environment;
  data: {
    created_token_id: string;
    name: string;
    /** first characters of the token */
    prefix: string;
    /** of the token */
    environment: Environment;
    permissions: (Permission)[];
  };
  /** only in a test, whose data is an example */
  is_test?: true | undefined;
  metadata: {
    /** 0 on the first attempt */
    retry_count: number;
  };
};

export type NotificationPayload = NotificationOfFailingAddress | NotificationOfRecoveredAddress | NotificationOfSilentAddress | NotificationOfResumedAddress | NotificationOfRefusingAddress | NotificationOfQuota | NotificationOfDomain | NotificationOfInvoice | NotificationOfToken | NotificationOfCertificate | NotificationOfHeldEmail | NotificationOfLostEmail;

export type NotificationType = "address.failing" | "address.recovered" | "address.silent" | "address.resumed" | "address.refusing" | "quota.near" | "domain.unconfirmed" | "invoice.created" | "token.created" | "receiver.certificate_expiring" | "email.held" | "email.lost";

export type NotificationWithSecret = {
  id: string;
  /** HTTPS URL that receives the events */
  url: string;
  /** types of events that are sent; null: all but address.refusing, also future ones */
  types: (NotificationType)[] | null;
  description: string | null;
  /** false: no new events are sent */
  is_enabled: boolean;
  /** time of the first failed attempt since the last accepted one; null when there is none */
  failing_since: string | null;
  /** ISO 8601 in UTC, whole seconds */
  created_at: string;
  /** ISO 8601 in UTC, whole seconds */
  updated_at: string;
  /** the Kubernetes resource that owns it; changes must be made there; null when there is none */
  managed_by: ManagedBy | null;
  /** signs the webhooks of this notification; starts with whsec_ */
  webhook_secret: string;
};

export type OAuthClient = {
  /** HTTPS URL of the token endpoint; the rules for webhook URLs apply */
  token_url: string;
  client_id: string;
  client_secret: string;
  /** scopes, separated by spaces */
  scope?: string | undefined;
  /** for servers that want one, such as Auth0 */
  audience?: string | undefined;
  /** how the client authenticates: HTTP Basic, or fields of the body (RFC 6749 §2.3.1); default: basic */
  client_auth?: "basic" | "post" | undefined;
};

export type Pagination = {
  limit: number;
  offset: number;
  /** number of all matching items; in a list of more than 1,000, up to 30 seconds old */
  total: number;
  /** true when more items exist beyond this page */
  has_more: boolean;
};

export type ParseWarning = {
  /** for programs: bare_line_ends, boundary_too_long, cut_for_hook, e_invoice_unreadable, extraction_failed, guessed_charset, hidden_text, invalid_encoding, invitation_unreadable, malformed_headers, no_parts_found, parse_failed, parse_out_of_memory, parse_timeout, parts_behind_end, protected_headers_differ, repeated_header, report_unreadable, rules_timeout, text_outside_parts, text_too_long, tnef_unreadable, too_deep, too_many_headers, too_many_parts, unclear_author, wrong_charset; new codes may be added */
  code: string;
  /** for people */
  message: string;
};

export type PayloadSettings = {
  /** content of attachments: in the payload (inline), left out (omit), or as a link that expires (url) */
  attachments: "inline" | "omit" | "url";
  /** whether the payload has a link to the raw email; the link expires */
  raw: boolean;
  /** what Inlet reads from the email into `extracted` of the payload */
  extract: ("codes" | "links" | "markdown" | "hidden_text" | "invitation" | "bounce" | "report" | "forwarded" | "e_invoice")[];
  /** files that Inlet stores in a bucket of yours before it calls the receiver; null: none */
  storage: StorageSettings | null;
};

export type Permission = "addresses:read" | "addresses:write" | "domains:read" | "domains:write" | "deliveries:read" | "deliveries:write" | "deliveries:consume" | "deliveries:decide" | "deliveries:erase" | "usage:read" | "billing:read" | "account:read" | "account:write" | "tokens:read" | "tokens:write" | "secrets:read" | "mail:submit";

/** the limit of the plan; it is that of the account, so tokens of the test environment, and those that are limited to addresses, see it, too; null: there is no limit, because this installation has no such plan */
export type Quota = {
  plan: string;
  /** after a plan change: the share of the current plan */
  emails_included: number;
  /** live emails of the account; after a plan change: those since then */
  emails_used: number;
  /** refused: all included emails are used, and live email is refused with 452 4.2.2; near: 80 % of them are used; open: neither, or the plan bills further emails */
  status: "open" | "near" | "refused";
  /** from then on, emails are counted from 0 again */
  resets_at: string;
  /** the same as a sentence, to be shown as it is; null while the status is open */
  message: string | null;
};

export type Receiver = {
  /** rcv_…; for the first receiver, the id of the address */
  id: string;
  address_id: string;
  /** HTTPS URL that receives the webhooks; null for the first receiver of an address without one, and with the mode pull */
  url: string | null;
  description: string | null;
  /** false: no new email is sent to it, as to the first receiver of an address that is disabled */
  is_enabled: boolean;
  payload: PayloadSettings;
  mode: WebhookMode;
  /** filter in CEL: it gets only emails for which this is true; null for all */
  when: string | null;
  format: WebhookFormat;
  signing: WebhookSigning;
  /** verifies its webhooks; starts with whpk_; null with hmac */
  public_key: string | null;
  /** how Inlet authenticates to it, without secrets; null when it does not */
  auth: ReceiverAuthView | null;
  /** true when the receiver has rejected every webhook for too long */
  is_failing: boolean;
  /** secret_rotated: it has responded with 401 or 403 since its webhook secret was rotated; auth_changed: since the authentication to it changed, or its token URL refuses; gone: it has responded with 410 Gone; null otherwise */
  failing_reason: "secret_rotated" | "auth_changed" | "gone" | null;
  /** time of the first failed attempt since the last accepted one; null when there is none */
  failing_since: string | null;
  /** when a consumer asked for its emails with the mode pull, accurate to the minute; null for never */
  last_pulled_at: string | null;
  /** until then a former secret also signs, after a rotation; null when none does */
  former_secrets_valid_until: string | null;
  /** ISO 8601 in UTC, whole seconds */
  created_at: string;
  /** ISO 8601 in UTC, whole seconds */
  updated_at: string;
  /** the Kubernetes resource that owns it; changes must be made there; null when there is none */
  managed_by: ManagedBy | null;
};

export type ReceiverAuth = {
  /** headers of each webhook: at most 10, 4096 bytes in all; not those that Inlet sets itself */
  headers?: { [name: string]: string } | undefined;
  /** HTTP Basic; not together with a header Authorization */
  basic?: {
    /** without a colon */
    username: string;
    password: string;
  } | undefined;
  /** client credentials: Inlet gets a bearer token and sends it; not together with basic or a header Authorization */
  oauth2?: OAuthClient | undefined;
  /** mutual TLS */
  client_certificate?: ClientCertificate | undefined;
};

export type ReceiverAuthView = {
  /** names of the headers; their values are never shown */
  headers: (string)[];
  /** the password is never shown; null without HTTP Basic */
  basic: {
    username: string;
  } | null;
  /** client_secret is never shown; null without OAuth 2.0 */
  oauth2: {
    /** HTTPS URL of the token endpoint; the rules for webhook URLs apply */
    token_url: string;
    client_id: string;
    scope: string | null;
    audience: string | null;
    client_auth: "basic" | "post";
  } | null;
  /** the private key is never shown; null without mutual TLS */
  client_certificate: {
    /** of the certificate */
    subject: string;
    fingerprint_sha256: string;
    /** ISO 8601 in UTC, whole seconds */
    expires_at: string;
  } | null;
};

export type ReceiverWithSecret = {
  /** rcv_…; for the first receiver, the id of the address */
  id: string;
  address_id: string;
  /** HTTPS URL that receives the webhooks; null for the first receiver of an address without one, and with the mode pull */
  url: string | null;
  description: string | null;
  /** false: no new email is sent to it, as to the first receiver of an address that is disabled */
  is_enabled: boolean;
  payload: PayloadSettings;
  mode: WebhookMode;
  /** filter in CEL: it gets only emails for which this is true; null for all */
  when: string | null;
  format: WebhookFormat;
  signing: WebhookSigning;
  /** verifies its webhooks; starts with whpk_; null with hmac */
  public_key: string | null;
  /** how Inlet authenticates to it, without secrets; null when it does not */
  auth: ReceiverAuthView | null;
  /** true when the receiver has rejected every webhook for too long */
  is_failing: boolean;
  /** secret_rotated: it has responded with 401 or 403 since its webhook secret was rotated; auth_changed: since the authentication to it changed, or its token URL refuses; gone: it has responded with 410 Gone; null otherwise */
  failing_reason: "secret_rotated" | "auth_changed" | "gone" | null;
  /** time of the first failed attempt since the last accepted one; null when there is none */
  failing_since: string | null;
  /** when a consumer asked for its emails with the mode pull, accurate to the minute; null for never */
  last_pulled_at: string | null;
  /** until then a former secret also signs, after a rotation; null when none does */
  former_secrets_valid_until: string | null;
  /** ISO 8601 in UTC, whole seconds */
  created_at: string;
  /** ISO 8601 in UTC, whole seconds */
  updated_at: string;
  /** the Kubernetes resource that owns it; changes must be made there; null when there is none */
  managed_by: ManagedBy | null;
  /** signs the webhooks of this receiver; starts with whsec_; null with ed25519, whose private key is never shown */
  webhook_secret: string | null;
};

export type RecipientResult = {
  /** as the request names it */
  recipient: string;
  /** `accepted`: stored; `refused`: never send it again; `try_again`: send it again later */
  result: "accepted" | "refused" | "try_again";
  /** the reply that SMTP would have given */
  reply: string;
  /** null unless accepted */
  event_id: string | null;
};

export type Refusal = {
  id: string;
  environment: Environment;
  /** of the first refusal of this record */
  first_at: string;
  /** of the last one */
  last_at: string;
  /** refusals of one hour with the same mailbox, sender and reason */
  count: number;
  /** recipient that the client named; for the reason further, the address or the domain */
  mailbox: string;
  /** null for a mailbox of a domain of the account that is no address */
  address_id: string | null;
  /** envelope sender; empty for a bounce, and when redacted */
  mail_from: string;
  /** name of the reply: docs/refusals.md */
  reason: string;
  /** where it was refused: before the email was sent, or at its end. Nothing of it is kept */
  command: "rcpt" | "data";
  reply: {
    code: number;
    enhanced_code: string;
    /** of the reply; a deciding hook may have sent another one */
    text: string;
  };
  /** From; null before DATA, when redacted, and when not read */
  from: string | null;
  /** null in the same cases */
  subject: string | null;
  /** null in the same cases, and without one */
  message_id: string | null;
  /** IP address of the client */
  remote_ip: string;
  /** name that the client gave */
  helo_domain: string;
  /** name of the IP address that resolves back to it; null when it was not looked up */
  remote_name: string | null;
  /** null when it was not checked */
  authentication: {
    /** pass, fail, none … */
    spf: string;
    /** pass, fail, none … */
    dkim: string;
    /** pass, fail, none … */
    dmarc: string;
  } | null;
  /** null where the reason says it all */
  decided_by: DecidedBy | null;
};

export type RenewLeasesRequest = {
  /** lease_id of each email */
  lease_ids: (string)[];
  /** seconds from now; default: 60 */
  lease?: number | undefined;
};

export type ReplayDeliveriesRequest = {
  /** only deliveries of this address, to all its receivers */
  address_id?: string | undefined;
  /** only deliveries to this receiver: rcv_…, or the id of an address for its own */
  receiver_id?: string | undefined;
  /** status of the deliveries to replay; retrying makes their next attempt due instead; held releases them; default: failed */
  status?: "delivered" | "failed" | "held" | "dropped" | "retrying" | undefined;
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
  /** maximum number of deliveries that this call considers; default: 1000 */
  limit?: number | undefined;
  /** next_cursor of the previous call */
  cursor?: string | undefined;
};

export type ReplayDeliveriesResponse = {
  /** deliveries that will be sent again */
  queued: number;
  skipped: {
    /** their email is no longer stored, or only in another region */
    no_longer_kept: number;
    /** an attempt is due or in flight */
    under_way: number;
  };
  /** send it as cursor to continue; null when no deliveries are left */
  next_cursor: string | null;
};

export type Reply = {
  /** valid, expired: signed with the key of the address; invalid: not, or changed on its way; none: the recipient is not a reply address */
  status: "valid" | "expired" | "invalid" | "none";
  /** what the reply address was made for; null unless it is valid or expired */
  reference: string | null;
  /** null unless it is valid or expired */
  expires_at: string | null;
  /** bound: the email is of the sender for whom the reply address was made, and DMARC proves it; other: this is not proven; unbound: it was made for nobody in particular; null unless it is valid or expired */
  sender: "bound" | "other" | "unbound" | null;
};

export type ReturnEmailsRequest = {
  /** lease_id of each email */
  lease_ids: (string)[];
  /** shown as the error of the attempt */
  reason?: string | undefined;
  /** they come again after so many seconds at the earliest */
  retry_after?: number | undefined;
  /** true: no later attempt would succeed, so the deliveries have failed; default: false */
  is_final?: boolean | undefined;
};

export type Role = "owner" | "admin" | "developer" | "viewer" | "billing";

export type RotateReplyKeyRequest = {
  /** hours that reply addresses of the former key are still accepted, if they have not expired; default: 24 */
  overlap_hours?: number | undefined;
};

export type RotateReplyKeyResponse = {
  /** signs reply addresses; starts with rkey_ */
  reply_key: string;
  /** until then, reply addresses that a former key signed are accepted; null when none are */
  former_reply_keys_valid_until: string | null;
};

export type Rule = {
  /** shown in traces */
  name: string;
  /** expression in CEL: docs/filters.md lists its variables */
  when: string;
  /** refuse: 550 after DATA; drop: accept, and send no webhook; hold: accept, and wait for a release; tag: add tags, and go on with the next rule */
  action: "refuse" | "drop" | "hold" | "tag";
  /** that the action tag adds; absent for other actions */
  tags?: (string)[] | undefined;
};

export type RuleRequest = {
  /** shown in traces */
  name: string;
  /** expression in CEL: docs/filters.md lists its variables */
  when: string;
  /** add tags, and go on with the next rule */
  action: "tag";
  /** to add */
  tags: (string)[];
} | {
  /** shown in traces */
  name: string;
  /** expression in CEL: docs/filters.md lists its variables */
  when: string;
  /** refuse: 550 after DATA; drop: accept, and send no webhook; hold: accept, and wait for a release */
  action: "refuse" | "drop" | "hold";
};

export type RulesTest = {
  /** that were evaluated, in their order: docs/rules.md */
  rules: (EvaluatedRule)[];
  /** the variables that these rules read, cut to 100 characters; without redacted ones */
  facts: ({
    name: string;
    value: string;
  })[];
  /** absent when no hook was asked */
  hook?: HookTrace | undefined;
  /** of the first rule that matched, except tag; deliver without one; later: 451, because a rule asks for sender, and DNS did not answer when the email arrived */
  action: "refuse" | "drop" | "hold" | "deliver" | "later";
  /** that rules added */
  tags: (string)[];
  /** what differs from a received email, and what expressions do not see of this one */
  warnings: (string)[];
};

export type Ruling = {
  /** null: it is delivered */
  action: "hold" | "drop" | null;
  /** rule: a rule with this action matched; cut: a rule that refuses, drops or holds read what is longer than rules see, or the email was not read as a whole; not_evaluated: such a rule, or the filter of the receiver, would have taken too much time; hook: the hook decided so; the others are refusals that could not be sent to the client, because another recipient accepted the email; null when it is delivered */
  reason: "rule" | "cut" | "not_evaluated" | "refused_by_rule" | "infected" | "sender_not_allowed" | "sender_not_checked" | "attachment_not_allowed" | "hook" | "refused_by_hook" | "deferred_by_hook" | null;
  /** that were evaluated, in their order: docs/rules.md */
  rules: (EvaluatedRule)[];
  /** the variables that these rules read, cut to 100 characters; without redacted ones */
  facts: ({
    name: string;
    value: string;
  })[];
  /** absent when no hook was asked */
  hook?: HookTrace | undefined;
};

export type SenderList = {
  id: string;
  /** in expressions: sender in lists.NAME */
  name: string;
  description: string | null;
  entry_count: number;
  /** ISO 8601 in UTC, whole seconds */
  created_at: string;
  /** ISO 8601 in UTC, whole seconds */
  updated_at: string;
  /** the Kubernetes resource that owns it; changes must be made there; null when there is none */
  managed_by: ManagedBy | null;
};

export type Session = {
  session_id: string;
  account_id: string;
  environment: Environment;
  permissions: (Permission)[];
  /** the only addresses that it reaches; null: it is not limited to ids */
  address_ids: (string)[] | null;
  /** it reaches only addresses with all these labels; null: it is not limited to labels */
  labels: { [name: string]: string } | null;
  /** how it was created */
  method: "link" | "token" | "oidc";
  /** who signed in, as the OpenID provider names them, here or in the session whose link opened it; null for other methods */
  user: string | null;
  /** the person of the account who uses it; null for a session of no member */
  member: {
    id: string;
    name: string;
    role: Role;
  } | null;
  /** ISO 8601 in UTC, whole seconds */
  created_at: string;
  /** it ends then at the latest */
  expires_at: string;
  /** it ends then unless it is used again */
  idle_expires_at: string;
  /** source address that created it; an IPv6 address as its /64 */
  source_ip: string;
  user_agent: string | null;
  /** whether this request used it */
  current: boolean;
};

export type SignedWebhook = {
  /** where the webhook is sent; null for an address without a URL */
  webhook_url: string | null;
  /** headers that sign the payload now; most receivers accept them for five minutes */
  headers: {
    'content-type': string;
    'ce-specversion'?: "1.0" | undefined;
    /** the event_id */
    'ce-id'?: string | undefined;
    /** mailto: and the email address */
    'ce-source'?: string | undefined;
    'ce-type'?: "email.inlet.received.v1" | undefined;
    /** when the email arrived */
    'ce-time'?: string | undefined;
    /** the email address */
    'ce-subject'?: string | undefined;
    'svc-signature'?: string | undefined;
    'webhook-id': string;
    'webhook-timestamp': string;
    'webhook-signature': string;
  };
  /** size of the payload that GET …/payload returns */
  size_bytes: number;
};

export type Spam = {
  /** higher means more likely spam */
  score: number;
  verdict: "spam" | "not_spam";
  details: {
    /** pass, fail, none … */
    spf: string;
    /** pass, fail, none … */
    dkim: string;
    /** pass, fail, none … */
    dmarc: string;
  };
  /** whose rules made the score */
  scored_by: "inlet" | "rspamd";
  /** rules that contributed to the score; the symbols of rspamd */
  rules: ({
    name: string;
    score: number;
  })[];
};

export type StorageSettings = {
  /** name of the bucket in Inlet */
  bucket: string;
  /** which files of the email */
  what: ("raw" | "attachments")[];
  /** each attempt has fresh links to the files that work so long; null: no links */
  link_hours: number | null;
};

export type SubmitEmailResponse = {
  recipients: (RecipientResult)[];
};

export type SubscriptionStatus = "trialing" | "active" | "past_due" | "canceled";

export type TestBucketResponse = {
  /** whether a file could be stored and removed */
  ok: boolean;
  /** why not; null when it worked */
  error: string | null;
};

export type TestExpressionRequest = {
  /** expression in CEL; docs/filters.md lists its variables and functions */
  when: string;
  /** a delivery whose email is still stored */
  event_id?: string | undefined;
  /** or a raw email as text, of at most 256 KiB */
  email?: string | undefined;
  /** or a raw email in Base64, of at most 256 KiB before encoding */
  email_base64?: string | undefined;
};

export type TestRulesRequest = {
  /** of the address, instead of its own; default: its present ones. The account's come first in any case */
  rules?: (RuleRequest)[] | undefined;
  /** of the account, instead of its own; default: its present ones */
  account_rules?: (RuleRequest)[] | undefined;
  /** whose present rules are meant; default: the address of event_id, or none */
  address_id?: string | undefined;
  /** a delivery whose email is still stored */
  event_id?: string | undefined;
  /** or a raw email as text, of at most 256 KiB */
  email?: string | undefined;
  /** or a raw email in Base64, of at most 256 KiB before encoding */
  email_base64?: string | undefined;
};

export type Token = {
  id: string;
  name: string;
  /** first characters of the token, for identification */
  prefix: string;
  /** environment of the token */
  environment: Environment;
  permissions: (Permission)[];
  /** the only addresses that it reaches; null: it is not limited to ids */
  address_ids: (string)[] | null;
  /** it reaches only addresses with all these labels; null: it is not limited to labels */
  labels: { [name: string]: string } | null;
  /** the person whose token it is, and with whom it ends; null: it is of the account */
  member_id: string | null;
  /** ISO 8601 in UTC, whole seconds */
  created_at: string;
  /** requests with it are refused from then on; null when it does not expire */
  expires_at: string | null;
  /** accurate to the minute; null when never used */
  last_used_at: string | null;
};

export type UpdateAccountRequest = {
  name?: string | undefined;
  /** empty or null: no company */
  company?: string | null | undefined;
  /** settings to change; the others keep their values */
  settings?: {
    /** IANA time zone name */
    timezone?: string | undefined;
    /** number of retries after a failed first attempt; a lower number shortens the schedule */
    webhook_retry_attempts?: number | undefined;
    /** hours until an address expires that is created without ttl_hours and not permanent */
    default_ttl_hours?: number | undefined;
    /** whether Inlet disables an address whose receiver has accepted nothing for too long; otherwise it only marks it as failing */
    disable_failing_addresses?: boolean | undefined;
    /** hours after its delivery that the content of an email is stored, unless its address says otherwise; 0: it is removed when delivered; null: as long as this installation stores it */
    retention_hours?: number | null | undefined;
    /** fields that records and events of new emails do not contain, unless their address says otherwise */
    redact?: ("subject" | "from")[] | undefined;
    /** whether email that contains malware is refused with 550 5.7.1 after DATA, unless another recipient accepts it: then it is held; an address can say otherwise; a change applies within 30 seconds */
    refuse_infected?: boolean | undefined;
    /** whether new emails can be found by the words of their text, where the installation allows it (SEARCH_BODIES); not those of addresses with `redact`; a change applies within 30 seconds */
    search_bodies?: boolean | undefined;
    /** whether an event email.viewed says who read which part of an email, and how: see docs/retention.md */
    record_views?: boolean | undefined;
    /** evaluated in their order on the email of all addresses, before their own: see docs/rules.md; a change applies within 30 seconds */
    rules?: (RuleRequest)[] | undefined;
    /** asked about the email of each address without a hook of its own, before the reply to its sender: see docs/deciding-hooks.md; null: none */
    hook?: {
      /** publicly reachable HTTPS URL that receives the webhooks */
      url: string;
      /** expression in CEL: the hook is asked only about such email; null for all email */
      when?: string | null | undefined;
      /** milliseconds that the hook may take for its answer */
      timeout_ms?: number | undefined;
      /** what happens without a valid answer: accept: the email is delivered as if there were no hook; defer: the sender gets 451 and tries again later */
      on_error?: "accept" | "defer" | undefined;
    } | null | undefined;
  } | undefined;
};

export type UpdateAddressRequest = {
  /** publicly reachable HTTPS URL that receives the webhooks; null for an address whose email is only stored: it can be read, and no webhook is sent */
  webhook_url?: string | null | undefined;
  mode?: WebhookMode | undefined;
  /** filter in CEL: it gets only emails for which this is true; null for all */
  when?: string | null | undefined;
  format?: WebhookFormat | undefined;
  signing?: WebhookSigning | undefined;
  /** how Inlet authenticates to it: replaces the whole; null for not at all */
  auth?: ReceiverAuth | null | undefined;
  /** false: no new email is sent to webhook_url; further receivers get it, and it can be read; default: true */
  webhook_enabled?: boolean | undefined;
  /** true for an address that has expired is 409 conflict */
  is_enabled?: boolean | undefined;
  /** only true: the address never expires; 409 conflict if it has expired already */
  is_permanent?: true | undefined;
  /** hours from now until expiry, also for an address that was permanent; 409 conflict if it has expired already */
  ttl_hours?: number | undefined;
  /** how the payload carries attachments and the raw email, and its optional parts; links require LINK_KEYS in the settings of the API */
  payload?: {
    /** default: inline */
    attachments?: "inline" | "omit" | "url" | undefined;
    /** default: false */
    raw?: boolean | undefined;
    /** what Inlet reads from the email into `extracted` of the payload; default: none */
    extract?: ("codes" | "links" | "markdown" | "hidden_text" | "invitation" | "bounce" | "report" | "forwarded" | "e_invoice")[] | undefined;
    /** files that Inlet stores in a bucket of yours before it calls the receiver; default: null (none) */
    storage?: {
      /** name of the bucket in Inlet */
      bucket: string;
      /** which files of the email */
      what: ("raw" | "attachments")[];
      /** each attempt has fresh links to the files that work so long; null: no links; default: null */
      link_hours?: number | null | undefined;
    } | null | undefined;
  } | undefined;
  /** free text; null for none */
  description?: string | null | undefined;
  /** spam score above which an email is refused with 550 5.7.1 after DATA, unless another recipient accepts it; default: null (never) */
  spam_refuse_above?: number | null | undefined;
  /** whose email the address accepts; other email is refused with 550 5.7.1 after DATA; default: null (everybody) */
  allowed_senders?: AllowedSenders | null | undefined;
  /** whether an email that contains malware is refused with 550 5.7.1 after DATA, unless another recipient accepts it: then it is held; default: null (the account's) */
  refuse_infected?: boolean | null | undefined;
  /** which attachments the address accepts; others are refused after DATA, with 550 5.7.1 for the type and 552 5.2.3 for the size, unless another recipient accepts the email; default: null (all) */
  allowed_attachments?: {
    /** content types as the payload reports them, such as application/pdf or image/*; an empty list allows no attachment; null or absent: all types */
    types?: (string)[] | null | undefined;
    /** of the content of each attachment; null or absent: any size */
    max_bytes?: number | null | undefined;
  } | null | undefined;
  /** emails that the address accepts in an hour; above, senders get 450 4.7.1 and try again; default: null (no limit) */
  max_per_hour?: number | null | undefined;
  /** key-value pairs, by which lists and tokens choose addresses; replaces all of them; default: none */
  labels?: { [name: string]: string } | undefined;
  /** rules for its email, evaluated in their order after the account's; default: none */
  rules?: (RuleRequest)[] | undefined;
  /** asked about each email before the reply to its sender: see docs/deciding-hooks.md; default: null (the account's) */
  hook?: {
    /** publicly reachable HTTPS URL that receives the webhooks */
    url: string;
    /** expression in CEL: the hook is asked only about such email; null for all email */
    when?: string | null | undefined;
    /** milliseconds that the hook may take for its answer */
    timeout_ms?: number | undefined;
    /** what happens without a valid answer: accept: the email is delivered as if there were no hook; defer: the sender gets 451 and tries again later */
    on_error?: "accept" | "defer" | undefined;
  } | null | undefined;
  /** email that the address expects: its absence is an address.silent event; default: null (none) */
  expect?: {
    /** how often such an email arrives at least, such as 30m, 26h or 8d */
    every: string;
    /** expression in CEL: only such email is expected; null for all email */
    when?: string | null | undefined;
    /** how much later it may be, such as 0m or 1h */
    grace?: string | undefined;
  } | null | undefined;
  /** whether signed reply addresses of this address are checked: see docs/reply-addresses.md; requires REPLY_KEYS in the settings of the API; default: false */
  reply_addresses?: boolean | undefined;
  /** true: email to other than its valid reply addresses is refused with 550 5.1.1; turns reply_addresses on; requires REPLY_KEYS in the settings of the API; default: false */
  reply_only?: boolean | undefined;
  /** hours after its delivery that the content of an email is stored, at most as long as this installation stores it; 0: it is removed when delivered, which excludes links in the payload; default: null (the account's) */
  retention_hours?: number | null | undefined;
  /** fields that records and events of new emails do not contain; webhooks contain them; default: null (the account's) */
  redact?: ("subject" | "from")[] | null | undefined;
};

export type UpdateBucketRequest = {
  /** HTTPS URL of the S3 API, without a path */
  endpoint?: string | undefined;
  /** name of the bucket at its provider */
  bucket?: string | undefined;
  /** region that is signed, such as eu-central-1; auto for R2 and GCS */
  region?: string | undefined;
  /** begins each key: up to five folders, each with a slash at its end; default: none */
  prefix?: string | undefined;
  /** where a URL names the bucket: in its path, or before the host of the endpoint */
  addressing?: "path" | "host" | undefined;
  /** free text */
  description?: string | null | undefined;
  /** both parts are replaced */
  credentials?: {
    /** of an identity that may write to the bucket, and no more */
    access_key_id: string;
    /** stored encrypted, and never shown */
    secret_access_key: string;
  } | undefined;
};

export type UpdateDomainRequest = {
  mta_sts?: MtaStsMode | undefined;
};

export type UpdateMemberRequest = {
  name?: string | undefined;
  role?: Role | undefined;
};

export type UpdateNotificationRequest = {
  /** publicly reachable HTTPS URL that receives the webhooks */
  url?: string | undefined;
  /** types of events to send; null: all but address.refusing, also future ones */
  types?: (NotificationType)[] | null | undefined;
  description?: string | null | undefined;
  /** false: no new events are sent */
  is_enabled?: boolean | undefined;
};

export type UpdateReceiverRequest = {
  /** publicly reachable HTTPS URL that receives the webhooks; null for the first receiver, and with the mode pull */
  url?: string | null | undefined;
  description?: string | null | undefined;
  /** false: no new email is sent to it */
  is_enabled?: boolean | undefined;
  /** how the payload carries attachments and the raw email, and its optional parts; links require LINK_KEYS in the settings of the API */
  payload?: {
    /** default: inline */
    attachments?: "inline" | "omit" | "url" | undefined;
    /** default: false */
    raw?: boolean | undefined;
    /** what Inlet reads from the email into `extracted` of the payload; default: none */
    extract?: ("codes" | "links" | "markdown" | "hidden_text" | "invitation" | "bounce" | "report" | "forwarded" | "e_invoice")[] | undefined;
    /** files that Inlet stores in a bucket of yours before it calls the receiver; default: null (none) */
    storage?: {
      /** name of the bucket in Inlet */
      bucket: string;
      /** which files of the email */
      what: ("raw" | "attachments")[];
      /** each attempt has fresh links to the files that work so long; null: no links; default: null */
      link_hours?: number | null | undefined;
    } | null | undefined;
  } | undefined;
  mode?: WebhookMode | undefined;
  /** filter in CEL: it gets only emails for which this is true; null for all */
  when?: string | null | undefined;
  format?: WebhookFormat | undefined;
  signing?: WebhookSigning | undefined;
  /** how Inlet authenticates to it: replaces the whole; null for not at all */
  auth?: ReceiverAuth | null | undefined;
};

export type UpdateSenderListRequest = {
  /** free text; null for none */
  description?: string | null | undefined;
  /** replace all: addresses, domains (partner.example), their subdomains (*.partner.example), IP addresses and networks (203.0.113.0/24) */
  entries?: (string)[] | undefined;
  /** entries to add */
  add?: (string)[] | undefined;
  /** entries to remove, after those to add */
  remove?: (string)[] | undefined;
};

export type Usage = {
  period: {
    /** ISO 8601 in UTC, whole seconds */
    start: string;
    /** ISO 8601 in UTC, whole seconds */
    end: string;
    current: boolean;
  };
  emails: {
    /** emails accepted in the period; an email to two addresses counts twice */
    total: number;
    /** of these: webhook accepted */
    successful: number;
    /** of these: delivery given up */
    failed: number;
    /** emails accepted since midnight in the account's time zone */
    today: number;
  };
  webhooks: {
    /** deliveries to all receivers of an address */
    delivered: number;
    failed: number;
    /** deliveries that wait for a retry now, of any period */
    retrying: number;
  };
  /** share of successful deliveries among those with a final outcome, in percent; 100 when there are none */
  success_rate: number;
  /** projected total at the end of the period, if mail continues at the same rate */
  projected_monthly: number;
  quota: Quota | null;
  /** time of these numbers */
  updated_at: string;
};

export type UsageEvent = {
  id: string;
  type: "email.received" | "email.repeated" | "email.held" | "email.dropped" | "email.lost" | "email.viewed" | "webhook.delivered" | "webhook.retrying" | "webhook.failed" | "address.created" | "address.updated" | "address.deleted" | "address.expired" | "address.failing" | "address.recovered" | "address.silent" | "address.resumed" | "address.refusing" | "address.secret_viewed" | "token.created" | "token.updated" | "token.deleted" | "member.created" | "member.updated" | "member.deleted" | "member.link_created" | "account.updated" | "delivery.replayed" | "delivery.released" | "delivery.dropped" | "delivery.erased" | "refusal.erased" | "domain.created" | "domain.verified" | "domain.updated" | "domain.deleted" | "domain.unconfirmed" | "session.created" | "session.ended" | "quota.near" | "invoice.created" | "notification.created" | "notification.updated" | "notification.deleted" | "notification.secret_viewed" | "receiver.created" | "receiver.updated" | "receiver.deleted" | "receiver.secret_viewed" | "receiver.certificate_expiring" | "list.created" | "list.updated" | "list.deleted" | "tool.called" | "bucket.created" | "bucket.updated" | "bucket.deleted";
  /** empty for events without an address */
  address_id: string;
  /** ISO 8601 in UTC, whole seconds */
  timestamp: string;
  /** fields depend on the type: from, subject, size and status for email.* and webhook.*; what changed, with token_id or session_id, request_id and source_ip, for changes through the API */
  data: {
    /** sender of the email; empty when redacted or erased; absent without deliveries:read */
    from?: string | undefined;
    /** null when absent, redacted or erased; absent without deliveries:read */
    subject?: string | null | undefined;
    size_bytes?: number | undefined;
    /** current status of the delivery */
    webhook_status?: "pending" | "retrying" | "delivered" | "failed" | "held" | "dropped" | undefined;
    /** email that the event is about; absent for email.received, whose id it is */
    event_id?: string | undefined;
    /** who made the change: a member of the account, a user of the OpenID provider who is no member, a token, the operator of the installation, a Kubernetes resource, or Inlet itself */
    actor?: "member" | "user" | "token" | "operator" | "resource" | "inlet" | undefined;
    /** member of the account who made the change */
    member_id?: string | undefined;
    /** token that made the change */
    token_id?: string | undefined;
    /** dashboard session that made the change */
    session_id?: string | undefined;
    /** name of that member, or of who used that session as the OpenID provider names them */
    user?: string | undefined;
    /** Kubernetes resource that made the change, such as InboundAddress ns/name */
    resource?: string | undefined;
    /** X-Request-Id of the change */
    request_id?: string | undefined;
    /** where the change came from: an IPv4 address or an IPv6 network */
    source_ip?: string | undefined;
    /** for email.held and email.dropped: the rule that matched */
    rule?: string | undefined;
    /** for email.held and email.dropped: as in its ruling */
    reason?: string | undefined;
    /** for address.created */
    address?: string | undefined;
    /** for domain.* */
    domain?: string | undefined;
    /** for token.*: the name of the token */
    name?: string | undefined;
    created_token_id?: string | undefined;
    updated_token_id?: string | undefined;
    deleted_token_id?: string | undefined;
    /** for member.* */
    target_member_id?: string | undefined;
    /** for member.*: role from then on */
    role?: string | undefined;
    /** for notification.* */
    notification_id?: string | undefined;
    /** for receiver.*, and for events of a further receiver of the address */
    receiver_id?: string | undefined;
    /** for refusal.erased: number of records; for address.refusing: refused emails */
    refusals?: number | undefined;
    /** for address.refusing */
    mailbox?: string | undefined;
    /** for list.* */
    list_id?: string | undefined;
    /** for quota.near: the event as a sentence */
    message?: string | undefined;
    /** for session.*: link, token or oidc */
    method?: string | undefined;
    /** for tool.called: the tool of the MCP server */
    tool?: string | undefined;
    /** for *.updated: the fields that changed, with their new values unless secret */
    changed?: { [name: string]: unknown } | undefined;
    /** for email.viewed: the part of the email */
    part?: "text" | "html" | "payload" | "raw" | "attachment" | "codes" | "condition" | undefined;
    /** for email.viewed: how; link: a signed link, whose holder is not known */
    way?: "dashboard" | "api" | "mcp" | "link" | undefined;
    /** for tool.called: why it failed; absent for a success */
    error?: string | undefined;
  };
};

export type UsageInterval = {
  /** beginning of the hour or day */
  start: string;
  /** emails accepted then */
  received: number;
  /** of these: webhook accepted */
  delivered: number;
  /** of these: delivery given up */
  failed: number;
  /** of these: wait for a release */
  held: number;
  /** of these: get no webhook */
  dropped: number;
  /** of these: wait for an attempt */
  waiting: number;
  /** median time from receipt to acceptance by the webhook, of up to 100 deliveries; null without any */
  p50_ms: number | null;
  /** 95th percentile of the same times */
  p95_ms: number | null;
};

export type UsageTotal = {
  /** emails accepted then */
  received: number;
  /** of these: webhook accepted */
  delivered: number;
  /** of these: delivery given up */
  failed: number;
  /** of these: wait for a release */
  held: number;
  /** of these: get no webhook */
  dropped: number;
  /** of these: wait for an attempt */
  waiting: number;
  /** share of delivered emails among those delivered or failed, in percent; 100 when there are none */
  success_rate: number;
  /** median time from receipt to acceptance by the webhook, estimated from the samples of all intervals, each weighted by its deliveries; null without any */
  p50_ms: number | null;
  /** 95th percentile of the same times */
  p95_ms: number | null;
};

export type Virus = {
  /** not_scanned: the scanner did not look into all of it; error: it did not answer in time */
  verdict: "clean" | "infected" | "not_scanned" | "error";
  /** of the malware, as the scanner calls it; null unless infected */
  name: string | null;
  scanner: "clamd" | "rspamd";
  /** infected attachments, at most 50; empty if the malware is elsewhere in the email, and with rspamd */
  attachments: ({
    /** place in attachments of the payload, from 0 */
    index: number;
    /** its name there */
    filename: string;
    /** of the malware, as the scanner calls it */
    name: string;
  })[];
};

/** body of its webhooks: JSON of Inlet (inlet), the same with the headers of a CloudEvent (cloudevents), what the inbound webhook of another service posts (postmark, sendgrid, mailgun, cloudmailin), or the email itself (raw) */
export type WebhookFormat = "inlet" | "cloudevents" | "postmark" | "sendgrid" | "mailgun" | "cloudmailin" | "raw";

/** push: Inlet posts webhooks to the URL; pull: the receiver asks for its emails with GET …/next and acknowledges them, so it needs no URL */
export type WebhookMode = "push" | "pull";

export type WebhookPayload = {
  /** the same on every attempt, so that receivers can ignore repeats */
  event_id: string;
  /** the receiving address */
  address_id: string;
  /** when this payload was built */
  timestamp: string;
  /** the address that this webhook is for, as the sender wrote it in RCPT */
  recipient: string;
  /** all names of this address in RCPT, `recipient` first: several only with a catch-all, a wildcard or plus tags */
  recipients: (string)[];
  envelope: {
    /** SMTP envelope sender; empty for bounces (the null sender) */
    mail_from: string;
    /** recipients of the SMTP transaction that belong to this account */
    rcpt_to: (string)[];
    /** name that the sending server gave in HELO or EHLO */
    helo_domain: string;
    /** IP address of the sending server */
    remote_ip: string;
  };
  /** null for a header that the email does not have */
  headers: {
    from: string | null;
    to: string | null;
    cc: string | null;
    bcc: string | null;
    subject: string | null;
    /** time of the Date header; null when absent or unreadable */
    date: string | null;
    message_id: string | null;
    in_reply_to: string | null;
    references: string | null;
    reply_to: string | null;
    /** all headers in their order in the email, repeated ones too; folded lines are joined and encoded words decoded */
    all: ({
      name: string;
      value: string;
    })[];
  };
  content: {
    /** plain text body; null when the email has none */
    text: string | null;
    /** HTML body; null when the email has none */
    html: string | null;
    /** size of the whole raw email */
    size_bytes: number;
    /** link to the raw email with a limited lifetime, when the address asks for it */
    raw_url?: string | undefined;
  };
  /** empty when there are none */
  attachments: (Attachment)[];
  spam: Spam;
  /** absent when nothing scans email for malware */
  virus?: Virus | undefined;
  /** the results behind the words of spam.details; null when authentication is switched off */
  authentication: Authentication | null;
  /** text after the + in the recipient that the sender used; null without a + */
  plus_tag: string | null;
  /** absent unless the address has reply addresses turned on (reply_addresses) */
  reply?: Reply | undefined;
  /** conversation at this address, as the headers claim it: a hint; absent without message ids */
  thread_id?: string | undefined;
  /** sent by a program: an automatic reply could start a loop */
  auto_submitted: boolean;
  /** a delivery report about an earlier email */
  is_bounce: boolean;
  /** sent through a mailing list or in bulk */
  is_list: boolean;
  /** text above the quoted email; null when it cannot be identified with certainty */
  reply_text: string | null;
  /** problems while parsing the email; empty for nearly every email */
  parse_warnings: (ParseWarning)[];
  /** of the author (S/MIME, PGP), not of DKIM; absent for email without one */
  signature?: MailSignature | undefined;
  /** the email or a part of it is encrypted, and Inlet cannot read that; absent for other email */
  encrypted?: "smime" | "pgp" | undefined;
  /** that rules added to the email; absent when none did */
  tags?: (string)[] | undefined;
  /** what the receiver asks for with payload.extract; absent when that is nothing */
  extracted?: Extracted | undefined;
  metadata: {
    /** end of DATA */
    received_at: string;
    /** from received_at until the payload was built */
    processing_time_ms: number;
    /** files of the email in your bucket; absent unless the receiver has `payload.storage` */
    storage?: {
      /** of the bucket in Inlet */
      name: string;
      endpoint: string;
      /** its name at the provider */
      bucket: string;
      /** the raw email; absent unless it is stored */
      raw?: {
        key: string;
        /** digest of the content, in hex */
        sha256: string;
        size_bytes: number;
        /** link to the file, when the receiver asks for links */
        url?: string | undefined;
      } | undefined;
      /** in the order of `attachments`; absent unless they are stored */
      attachments?: ({
        key: string;
        /** digest of the content, in hex */
        sha256: string;
        size_bytes: number;
        /** link to the file, when the receiver asks for links */
        url?: string | undefined;
      })[] | undefined;
      /** absent without links */
      urls_expire_at?: string | undefined;
    } | undefined;
    /** 0 on the first attempt */
    retry_count: number;
  };
  /** true in a test webhook, else absent */
  is_test?: boolean | undefined;
};

/** hmac: with a secret that the receiver has, too; ed25519: with a private key that Inlet keeps */
export type WebhookSigning = "hmac" | "ed25519";

export type WebhookTest = {
  outcome: "accepted" | "refused" | "busy" | "unreachable" | "storage_failed" | "blocked";
  /** null when no answer came */
  status_code: number | null;
  latency_ms: number;
  /** why no answer came */
  error: string | null;
  /** first KiB of the answer's body; null when it had none */
  excerpt: string | null;
  /** Location of a redirect, which Inlet does not follow; null without one */
  location: string | null;
  /** event_id of the sample payload; no delivery has it */
  event_id: string;
};
