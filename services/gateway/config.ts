/** Settings of the gateway. */
import { z } from 'zod';

import { AccountLabelsConfig } from '../adapters/process/account-labels.ts';
import { CommonConfig, Flag, Port } from '../adapters/process/config.ts';
import { DnsConfig } from '../adapters/dns/resolver.ts';
import { CertificateConfig } from '../adapters/tls/certificate-reload.ts';
import { LinkConfig, LINKS_TOGETHER, linksAreWhole } from '../platform/settings/links.ts';
import { MongoConfig } from '../adapters/mongo/connection.ts';
import { PlanConfig } from '../platform/settings/plans.ts';
import { NatsConfig } from '../adapters/stream/connection.ts';
import { StreamsConfig } from '../adapters/stream/streams.ts';
import { BlocklistList } from '../core/smtp/dnsbl.ts';
import { Duration } from '../core/duration.ts';
import { normaliseAddress } from '../core/mail/email-address.ts';
import { NetworkList } from '../core/network.ts';
import { SPAM_SCORE_MAX } from '../core/mail/spam.ts';

/** A number that something may reach; 0 for any. */
const Limit = z.coerce.number().int().min(0);
const ExemptNetworks = z
  .string()
  .transform((text) => (text.trim() === 'none' ? '' : text))
  .pipe(NetworkList);
const DomainList = z.string().transform((text) =>
  text
    .toLowerCase()
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== ''),
);

const Mailbox = z.string().transform((text, context) => {
  const mailbox = normaliseAddress(text);
  if (mailbox !== undefined) return mailbox;
  context.addIssue({ code: 'custom', message: `"${text}" is not a mail address` });
  return z.NEVER;
});

export const GatewayConfig = z
  .object({
    ...CommonConfig,
    ...NatsConfig,
    ...StreamsConfig,
    ...MongoConfig,
    ...LinkConfig,
    ...PlanConfig,
    ...AccountLabelsConfig,
    ...DnsConfig,
    SMTP_HOST: z.string().default('0.0.0.0').describe('address that the SMTP listener binds'),
    SMTP_PORT: Port.default(25).describe('port that the SMTP listener binds; 0 for any free port'),
    SMTP_HOSTNAME: z
      .string()
      .optional()
      .describe(
        'name that the gateway greets with, best the name of its MX record; the host name when unset',
      ),
    ROLE_ADDRESS: Mailbox.optional().describe(
      'an address on INBOUND_DOMAIN that gets the mail to postmaster@ and abuse@ there, and on own domains that have no such address; without it such mail is refused',
    ),
    TLS_CERT_FILE: z
      .string()
      .optional()
      .describe('PEM file of the certificate for STARTTLS; without one STARTTLS is not offered'),
    TLS_KEY_FILE: z
      .string()
      .optional()
      .describe('PEM file of the key that belongs to the certificate'),
    TLS_MIN_VERSION: z
      .enum(['TLSv1.2', 'TLSv1.3'])
      .default('TLSv1.2')
      .describe(
        'oldest TLS that is spoken; a sender that only knows older ones may deliver in the clear',
      ),
    ...CertificateConfig,
    PROXY_PROTOCOL_NETWORKS: NetworkList.prefault('').describe(
      'CIDR ranges of the load balancers that put a PROXY protocol header (v1 or v2) before every connection, separated by commas; when set, all others are turned away',
    ),
    PROXY_PROTOCOL_TIMEOUT: Duration.prefault('5s').describe(
      'how long a load balancer may take over its header',
    ),
    MAX_MESSAGE_BYTES: z.coerce
      .number()
      .int()
      .min(1024)
      .default(26_214_400)
      .describe('largest mail accepted, announced as SIZE'),
    MAX_BYTES_IN_MEMORY: z.coerce
      .number()
      .int()
      .min(1024)
      .default(402_653_184)
      .describe(
        'raw bytes of mails under way that one gateway may hold, over all connections; beyond it a mail gets 452 4.3.1',
      ),
    MAX_BYTES_AT_WORK: z.coerce
      .number()
      .int()
      .min(1024)
      .default(26_214_400)
      .describe(
        'raw bytes of mails above 1 MiB that are parsed and stored at once, which takes some six times as much memory; others wait, smaller mails have a quarter of it for themselves',
      ),
    PARSE_IN_PROCESS_MAX_BYTES: z.coerce
      .number()
      .int()
      .min(0)
      .default(65_536)
      .describe(
        'largest mail that is read where it arrives, unless its headers take more than 16 KiB; others are read by worker threads, so that they hold up nobody',
      ),
    PARSE_WORKERS: z.coerce
      .number()
      .int()
      .min(1)
      .optional()
      .describe('threads that read large mails; one less than there are processors when unset'),
    PARSE_TIMEOUT: Duration.prefault('10s').describe(
      'how long a thread may take for one mail; beyond it the mail is delivered with its headers and the beginning of its text, and a warning',
    ),
    MAX_RECIPIENTS: z.coerce
      .number()
      .int()
      .min(100)
      .default(100)
      .describe('recipients of one transaction; RFC 5321 asks for at least 100'),
    MAX_CONNECTIONS: z.coerce
      .number()
      .int()
      .min(1)
      .default(1000)
      .describe(
        'SMTP connections open at once; beyond, the client that has gone longest without sending a mail is told 421, or the new one while none has for ten seconds',
      ),
    SOURCE_MAX_CONNECTIONS: Limit.default(100).describe(
      'SMTP connections that one source, an IPv4 address or an IPv6 /64, may have open at once over all gateways; more are told 421 4.7.0; 0 for no limit',
    ),
    SOURCE_CONNECTIONS_PER_MINUTE: Limit.default(600).describe(
      'connections that one source may open within a minute; more are told 421 4.7.0; 0 for no limit',
    ),
    SOURCE_MESSAGES_PER_MINUTE: Limit.default(3000).describe(
      'messages that one source may begin within a minute; MAIL is told 450 4.7.1 beyond; 0 for no limit',
    ),
    SOURCE_UNKNOWN_PER_MINUTE: Limit.default(300).describe(
      'unknown recipients that one source may name within a minute; every RCPT is told 450 4.7.1 beyond; 0 for no limit',
    ),
    SOURCE_UNKNOWN_PER_HOUR: Limit.default(5000).describe(
      'unknown recipients that one source may name within an hour; mail to addresses that have expired counts too; 0 for no limit',
    ),
    SOURCE_EXEMPT_NETWORKS: ExemptNetworks.prefault(
      '127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,::1/128,fc00::/7,fe80::/10',
    ).describe(
      'networks, separated by commas, that neither limits nor blocklists apply to: own relays, and load balancers that hide the sender; none for no network',
    ),
    DNSBL_ZONES: BlocklistList.prefault('').describe(
      'DNS blocklists (RFC 5782) whose entries get 550 5.7.1 at RCPT, separated by commas; each its zone, or name=zone when the zone holds a key that senders must not see',
    ),
    MAIL_AUTH: Flag.prefault('true').describe(
      'whether SPF, DKIM, DMARC, ARC and reverse DNS of each mail are looked at',
    ),
    MAIL_AUTH_TIMEOUT: Duration.prefault('5s').describe(
      'for all look-ups of one mail together; what is not known by then is temperror',
    ),
    ARC_TRUSTED_SEALERS: DomainList.prefault('').describe(
      'domains, separated by commas, whose ARC seal of a DMARC pass keeps a DMARC failure from counting as spam: own or well-known forwarders',
    ),
    SPAM_THRESHOLD: z.coerce
      .number()
      .min(0)
      .max(SPAM_SCORE_MAX)
      .default(5)
      .describe('lowest spam score, of 10, with the verdict spam'),
    RSPAMD_URL: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe(
        'rspamd that scores each mail, such as http://rspamd:11333; without one, or while it does not answer, the built-in score counts',
      ),
    RSPAMD_PASSWORD: z.string().optional().describe('password of rspamd, when it asks for one'),
    RSPAMD_TIMEOUT: Duration.prefault('5s').describe('how long rspamd may take for one mail'),
    SMTP_IDLE_TIMEOUT: Duration.prefault('5m').describe(
      'how long a silent client is kept; RFC 5321 asks for at least five minutes',
    ),
    SMTP_DATA_TIMEOUT: Duration.prefault('3m').describe(
      'how long a client may be silent in the midst of a mail; RFC 5321 asks for three minutes',
    ),
    SMTP_MAIL_TIMEOUT: Duration.prefault('30m').describe(
      'how long a client may take over one mail in all, from its greeting or its last mail: a byte now and then keeps no connection',
    ),
    SMTP_REPLY_TIMEOUT: Duration.prefault('5m').describe(
      'when a mail that is not stored yet is answered 451; senders wait ten minutes',
    ),
    SMTP_REQUIRE_TLS: Flag.prefault('false').describe(
      'refuses mail without STARTTLS (530); never for a public MX (RFC 3207)',
    ),
    SMTP_STOP_GRACE: Duration.prefault('20s').describe(
      'how long open connections may go on when the gateway is asked to stop',
    ),
  })
  .refine(linksAreWhole, LINKS_TOGETHER)
  .refine(
    ({ MAX_MESSAGE_BYTES, MAX_BYTES_IN_MEMORY }) => MAX_MESSAGE_BYTES <= MAX_BYTES_IN_MEMORY,
    {
      path: ['MAX_MESSAGE_BYTES'],
      message: 'must not be above MAX_BYTES_IN_MEMORY: the largest mails would be put off for ever',
    },
  )
  .refine(
    ({ TLS_CERT_FILE, TLS_KEY_FILE }) =>
      (TLS_CERT_FILE === undefined) === (TLS_KEY_FILE === undefined),
    { path: ['TLS_KEY_FILE'], message: 'must be set together with TLS_CERT_FILE, or neither' },
  )
  .refine(
    ({ TLS_CERT_FILE, SMTP_REQUIRE_TLS }) => !SMTP_REQUIRE_TLS || TLS_CERT_FILE !== undefined,
    { path: ['SMTP_REQUIRE_TLS'], message: 'needs TLS_CERT_FILE and TLS_KEY_FILE' },
  );
export type GatewayConfig = z.output<typeof GatewayConfig>;
