/** A gateway that checks senders, with a DNS server of the test, and what it stores. */
import type { GatewayConstants } from '../../services/gateway/process/constants.ts';
import type { WebhookPayload } from '../../services/core/webhook/payload.ts';
import type { TestDns } from '../support/dns-server.ts';
import { type Pipeline, startPipeline } from '../support/pipeline.ts';
import { storedMails } from './stored-mail.ts';

export const startAuthenticating = (
  { address }: TestDns,
  env: Record<string, string> = {},
  constants: Partial<GatewayConstants> = {},
): Promise<Pipeline> =>
  startPipeline({
    env: {
      MAIL_AUTH: 'true',
      DNS_SERVERS: address,
      ARC_TRUSTED_SEALERS: 'List.test, other.test',
      ...env,
    },
    constants: { dnsMs: 60_000, ...constants },
    withDispatcher: false,
  });

/** Sends the email and returns the payload that the address gets. */
export async function storedPayload(
  pipeline: Pipeline,
  mail: string,
  from = 'ann@sender.test',
): Promise<WebhookPayload> {
  const { id, address } = await pipeline.address('/never');
  await pipeline.mailer.sendMail({ envelope: { from, to: [address] }, raw: mail });
  const [stored] = await storedMails(pipeline.nats, id);
  if (stored === undefined) throw new Error('no mail was stored');
  return stored.payload;
}
