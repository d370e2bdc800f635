/** `inlet listen --pull`: leases the emails of a receiver instead of hearing of them. */
import type { DeliveryListItem } from '../../core/api/api-types.generated.ts';
import type { WebhookPayload } from '../../core/webhook/payload.ts';
import type { Cli, Connected } from '../api/cli.ts';
import { liveNeeds } from './events.ts';
import type { createForwarder, Forwarded } from './forward.ts';
import { pullEmails, type Verdict, verdictOf } from './pull.ts';
import { printable } from '../terminal/text.ts';

type Shown = {
  print: 'summary' | 'body';
  forward: Pick<ReturnType<typeof createForwarder>, 'post'> | undefined;
  /** As the command shows it. */
  line: (response: Forwarded) => string;
};

/** Without a URL, an email is acknowledged when it has been printed. */
export async function listenByPull(
  cli: Cli,
  connection: Connected,
  { addressId, receiverId = addressId }: { addressId: string; receiverId: string | undefined },
  { print, forward, line }: Shown,
): Promise<void> {
  const { write, complain } = cli.terminal;
  const needs = liveNeeds(cli, connection);
  const params = { address_id: addressId, receiver_id: receiverId };
  await pullEmails(needs, params, async ({ event_id: eventId, retry_count }, payload) => {
    const printsBody = print === 'body';
    const email = JSON.parse(payload.toString()) as WebhookPayload;
    if (printsBody) cli.printJson(`${payload.toString()}\n`);
    else if (!cli.wantsJson()) write(summary(cli, email));
    const response = forward && (await forward.post({ eventId, addressId, receiverId, payload }));
    if (!printsBody && cli.wantsJson()) {
      const { from, subject } = email.headers;
      const facts = { event_id: eventId, from, subject, retry_count };
      cli.printJson(`${JSON.stringify({ ...facts, ...(response && { response }) })}\n`);
    } else if (response) (printsBody ? complain : write)(line(response));
    return response ? verdictOfForward(response) : { kind: 'accepted' };
  });
}

const verdictOfForward = ({ status, error }: Forwarded): Verdict =>
  verdictOf(status, error ?? (status === undefined ? undefined : `status ${status}`));

const summary = (
  cli: Cli,
  { event_id, envelope, headers, content, recipient, metadata }: WebhookPayload,
): string =>
  emailLines(
    cli,
    { ...headers, ...metadata, event_id, mail_from: envelope.mail_from, ...content },
    recipient,
  );

type ShownEmail = Pick<
  DeliveryListItem,
  'received_at' | 'event_id' | 'from' | 'mail_from' | 'subject' | 'size_bytes'
>;

/** @param recipient undefined when it is not recorded, and the token may not read its address */
export function emailLines(cli: Cli, email: ShownEmail, recipient: string | undefined): string {
  const { dim, bold } = cli.paint();
  const { received_at, event_id, from, mail_from, subject, size_bytes } = email;
  const sender = printable(from ?? (mail_from || '(no sender)'));
  const to = recipient === undefined ? '' : ` → ${printable(recipient)}`;
  return (
    `${dim(received_at)}  ${event_id}  ${size_bytes.toLocaleString('en')} bytes\n` +
    `  ${sender}${to}: ${bold(printable(subject ?? '(no subject)'))}\n`
  );
}
