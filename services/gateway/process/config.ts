/** Settings of the gateway. */
import { z } from 'zod';

import { ClamdConfig } from '../../adapters/clamd/clamd.ts';
import { AccountLabelsConfig } from '../../adapters/process/account-labels.ts';
import { CommonConfig, Flag, Port, WholeNumber } from '../../adapters/process/config.ts';
import { DnsConfig } from '../../adapters/dns/resolver.ts';
import { TracingConfig } from '../../adapters/tracing/tracing.ts';
import {
  CONTENT_NEEDS_KEYS,
  ContentConfig,
  contentHasKeys,
} from '../../platform/settings/content.ts';
import { LinkConfig, LINKS_TOGETHER, linksAreWhole } from '../../platform/settings/links.ts';
import { MongoConfig } from '../../adapters/mongo/database/connection.ts';
import { OptionalSecretsConfig } from '../../adapters/mongo/database/secrets.ts';
import { PlanConfig } from '../../platform/settings/plans.ts';
import { NatsConfig } from '../../adapters/stream/connection/connection.ts';
import { StreamsConfig } from '../../adapters/stream/events/streams.ts';
import { BlocklistList } from '../../core/smtp/dnsbl.ts';
import { SearchConfig } from '../../platform/settings/search.ts';
import { ReplyConfig } from '../../platform/settings/replies.ts';
import { Duration } from '../../core/time/duration.ts';
import { normaliseAddress } from '../../core/mail/fields/email-address.ts';
import { NetworkList } from '../../core/network/network.ts';
import { SPAM_SCORE_MAX } from '../../core/mail/spam.ts';
import { optional } from '../../core/resource/described.ts';

/** A limit; 0 for none. */
const Limit = WholeNumber.min(0);
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
  context.addIssue({ code: 'custom', message: `"${text}" is not an email address` });
  return z.NEVER;
});

export const GatewayConfig = z
  .object({
    ...CommonConfig,
    ...NatsConfig,
    ...StreamsConfig,
    ...MongoConfig,
    ...ContentConfig,
    ...OptionalSecretsConfig,
    ...LinkConfig,
    ...ReplyConfig,
    ...PlanConfig,
    ...SearchConfig,
    ...AccountLabelsConfig,
    ...TracingConfig,
    ...DnsConfig,
    SMTP_HOST: z.string().default('0.0.0.0').describe('address that the SMTP listener binds'),
    SMTP_PORT: Port.default(25).describe('port that the SMTP listener binds; 0 for any free port'),
    SMTP_HOSTNAME: optional(
      z.string(),
      'name in the SMTP greeting, which should be the name of the MX record; the host name ' +
        'when unset',
    ),
    ROLE_ADDRESS: Mailbox.optional().describe(
      'address on INBOUND_DOMAIN that gets mail to postmaster@ and abuse@ there, and on ' +
        'customer domains without such an address; that mail is refused when unset',
    ),
    TLS_CERT_FILE: z
      .string()
      .optional()
      .describe('PEM file of the certificate for STARTTLS; STARTTLS is not offered when unset'),
    TLS_KEY_FILE: z.string().optional().describe('PEM file of the private key of the certificate'),
    TLS_MIN_VERSION: z
      .enum(['TLSv1.2', 'TLSv1.3'])
      .default('TLSv1.2')
      .describe(
        'oldest TLS version accepted; senders that support only older ones may deliver without TLS',
      ),
    PROXY_PROTOCOL_NETWORKS: NetworkList.prefault('').describe(
      'comma-separated CIDR ranges of the load balancers that send a PROXY protocol header ' +
        '(v1 or v2) on every connection; when set, all other connections are refused',
    ),
    LMTP_PORT: Port.optional().describe(
      'port of a listener for LMTP (RFC 2033), for mail servers in front of Inlet and for ' +
        '`POST /v1/intake`; 0 for any free port; there is none when unset',
    ),
    LMTP_NETWORKS: NetworkList.prefault('').describe(
      'comma-separated CIDR ranges that may use LMTP: what they say about the sender ' +
        '(XFORWARD) is believed, and no limit per source or blocklist applies to them',
    ),
    MAX_MESSAGE_BYTES: WholeNumber.min(1024)
      .default(26_214_400)
      .describe('largest email accepted, announced as SIZE'),
    MAX_BYTES_IN_MEMORY: WholeNumber.min(1024)
      .default(268_435_456)
      .describe(
        'raw bytes of all emails that one gateway receives or processes at the same time; ' +
          'above it, an email gets 452 4.3.1',
      ),
    PARSE_TIMEOUT: Duration.prefault('10s').describe(
      'CPU time for reading one email, whatever is in it; after it, the email is delivered without ' +
        'what took so long, with its headers, the beginning of its text and a warning',
    ),
    MAX_CONNECTIONS: WholeNumber.min(1)
      .default(1000)
      .describe(
        'open SMTP connections; above it, the client that has been idle longest gets 421, or ' +
          'the new client if none has been idle for 10 seconds; the last tenth is for networks ' +
          'that hold at most one of a hundred',
      ),
    SOURCE_MAX_CONNECTIONS: Limit.default(100).describe(
      'open SMTP connections of one source (an IPv4 address or an IPv6 /64) over all ' +
        'gateways; further ones get 421 4.7.0; 0 for no limit',
    ),
    SOURCE_CONNECTIONS_PER_MINUTE: Limit.default(600).describe(
      'connections that one source may open per minute; further ones get 421 4.7.0; 0 for no limit',
    ),
    SOURCE_MESSAGES_PER_MINUTE: Limit.default(3000).describe(
      'emails that one source may start per minute; after that, MAIL gets 450 4.7.1; 0 for no ' +
        'limit',
    ),
    SOURCE_UNKNOWN_PER_MINUTE: Limit.default(300).describe(
      'unknown recipients that one source may name per minute; after that, every RCPT gets ' +
        '450 4.7.1; 0 for no limit',
    ),
    SOURCE_EXEMPT_NETWORKS: ExemptNetworks.prefault(
      '127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,::1/128,fc00::/7,fe80::/10',
    ).describe(
      'comma-separated networks without limits and blocklists: own relays, and load balancers ' +
        'that hide the sender; `none` for no network',
    ),
    DNSBL_ZONES: BlocklistList.prefault('').describe(
      'comma-separated DNS blocklists (RFC 5782) whose entries get 550 5.7.1 at RCPT; each as ' +
        'its zone, or as name=zone when the zone contains a key that senders must not see',
    ),
    MAIL_AUTH: Flag.prefault('true').describe(
      'whether to check SPF, DKIM, DMARC, ARC and reverse DNS of each email',
    ),
    ARC_TRUSTED_SEALERS: DomainList.prefault('').describe(
      'comma-separated domains of trusted forwarders: a DMARC failure does not count as spam ' +
        'if their ARC seal confirms an earlier DMARC pass',
    ),
    SPAM_THRESHOLD: z.coerce
      .number()
      .min(0)
      .max(SPAM_SCORE_MAX)
      .default(5)
      .describe('lowest spam score with the verdict spam, from 0 to 10'),
    RSPAMD_URL: optional(
      z.url({ protocol: /^https?$/ }),
      'URL of the rspamd that scores each email, such as http://rspamd:11333; the built-in ' +
        'score applies when unset, or while rspamd does not answer',
    ),
    RSPAMD_PASSWORD: z.string().optional().describe('password of rspamd, if it requires one'),
    ...ClamdConfig,
    REFUSALS_RETENTION: Duration.prefault('14d').describe(
      'how long the records of refused emails are stored; 0 for none',
    ),
    SMTP_REQUIRE_TLS: Flag.prefault('false').describe(
      'refuses mail without STARTTLS (530); must be off on a public MX (RFC 3207)',
    ),
    SMTP_STOP_GRACE: Duration.prefault('20s').describe(
      'time for open connections to finish when the gateway stops',
    ),
  })
  .refine(linksAreWhole, LINKS_TOGETHER)
  .refine(contentHasKeys, CONTENT_NEEDS_KEYS)
  .refine(
    ({ MAX_MESSAGE_BYTES, MAX_BYTES_IN_MEMORY }) => MAX_MESSAGE_BYTES <= MAX_BYTES_IN_MEMORY,
    {
      path: ['MAX_MESSAGE_BYTES'],
      message: 'must not be above MAX_BYTES_IN_MEMORY: the largest emails would never be accepted',
    },
  )
  .refine(
    ({ TLS_CERT_FILE, TLS_KEY_FILE }) =>
      (TLS_CERT_FILE === undefined) === (TLS_KEY_FILE === undefined),
    { path: ['TLS_KEY_FILE'], message: 'must be set together with TLS_CERT_FILE' },
  )
  .refine(({ LMTP_PORT, LMTP_NETWORKS }) => LMTP_PORT === undefined || LMTP_NETWORKS.length > 0, {
    path: ['LMTP_NETWORKS'],
    message: 'must be set with LMTP_PORT: nobody else may say who sent an email',
  })
  .refine(
    ({ TLS_CERT_FILE, SMTP_REQUIRE_TLS }) => !SMTP_REQUIRE_TLS || TLS_CERT_FILE !== undefined,
    { path: ['SMTP_REQUIRE_TLS'], message: 'needs TLS_CERT_FILE and TLS_KEY_FILE' },
  );

export type GatewayConfig = z.output<typeof GatewayConfig>;
