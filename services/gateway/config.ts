/** Settings of the gateway. */
import { availableParallelism } from 'node:os';
import { z } from 'zod';

import { AccountLabelsConfig } from '../adapters/account-labels.ts';
import { CommonConfig, Flag, Port } from '../adapters/config.ts';
import { LinkConfig, LINKS_TOGETHER, linksAreWhole } from '../adapters/link-settings.ts';
import { MongoConfig } from '../adapters/mongo.ts';
import { PlanConfig } from '../adapters/plan-settings.ts';
import { NatsConfig } from '../adapters/nats.ts';
import { StreamsConfig } from '../adapters/streams.ts';
import { Duration } from '../core/duration.ts';

export const GatewayConfig = z.object({
  ...CommonConfig,
  ...NatsConfig,
  ...StreamsConfig,
  ...MongoConfig,
  ...LinkConfig,
  ...PlanConfig,
  ...AccountLabelsConfig,
  SMTP_HOST: z.string().default('0.0.0.0').describe('address that the SMTP listener binds'),
  SMTP_PORT: Port.default(25).describe('port that the SMTP listener binds; 0 for any free port'),
  SMTP_HOSTNAME: z.string().optional().describe('name that the gateway greets with, best the name of its MX record; the host name when unset'),
  TLS_CERT_FILE: z.string().optional().describe('PEM file of the certificate for STARTTLS; without one STARTTLS is not offered'),
  TLS_KEY_FILE: z.string().optional().describe('PEM file of the key that belongs to the certificate'),
  MAX_MESSAGE_BYTES: z.coerce.number().int().min(1024).default(26_214_400).describe('largest mail accepted, announced as SIZE'),
  MAX_BYTES_IN_MEMORY: z.coerce.number().int().min(1024).default(402_653_184).describe('raw bytes of mails under way that one gateway may hold, over all connections; beyond it a mail gets 452 4.3.1'),
  MAX_BYTES_AT_WORK: z.coerce.number().int().min(1024).default(26_214_400).describe('raw bytes of mails that are parsed and stored at once, which takes some six times as much memory; others wait'),
  PARSE_IN_PROCESS_MAX_BYTES: z.coerce.number().int().min(0).default(65_536).describe('largest mail that is read where it arrives; larger ones are read by worker threads, so that they hold up nobody'),
  PARSE_WORKERS: z.coerce.number().int().min(1).default(Math.max(1, availableParallelism() - 1)).describe('threads that read large mails; one less than there are processors unless set'),
  PARSE_TIMEOUT: Duration.prefault('10s').describe('how long a thread may take for one mail; beyond it the mail is delivered with its headers and the beginning of its text, and a warning'),
  MAX_RECIPIENTS: z.coerce.number().int().min(100).default(100).describe('recipients of one transaction; RFC 5321 asks for at least 100'),
  MAX_CONNECTIONS: z.coerce.number().int().min(1).default(1000).describe('SMTP connections open at once; more are told 421'),
  SMTP_IDLE_TIMEOUT: Duration.prefault('5m').describe('how long a silent client is kept; RFC 5321 asks for at least five minutes'),
  SMTP_DATA_TIMEOUT: Duration.prefault('3m').describe('how long a client may be silent in the midst of a mail; RFC 5321 asks for three minutes'),
  SMTP_MAIL_TIMEOUT: Duration.prefault('30m').describe('how long a client may take over one mail in all, from its greeting or its last mail: a byte now and then keeps no connection'),
  SMTP_REPLY_TIMEOUT: Duration.prefault('5m').describe('when a mail that is not stored yet is answered 451; senders wait ten minutes'),
  SMTP_REQUIRE_TLS: Flag.prefault('false').describe('refuses mail without STARTTLS (530); never for a public MX (RFC 3207)'),
  SMTP_STOP_GRACE: Duration.prefault('20s').describe('how long open connections may go on when the gateway is asked to stop'),
}).refine(linksAreWhole, LINKS_TOGETHER);
export type GatewayConfig = z.output<typeof GatewayConfig>;
