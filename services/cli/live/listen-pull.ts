/** `inlet listen --pull`: leases the emails of a receiver instead of hearing of them. */
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

function summary(cli: Cli, email: WebhookPayload): string {
  const { dim, bold } = cli.paint();
  const { event_id, envelope, headers, content, recipient, metadata } = email;
  const sender = printable(headers.from ?? (envelope.mail_from || '(no sender)'));
  return (
    `${dim(metadata.received_at)}  ${event_id}  ${content.size_bytes.toLocaleString('en')} bytes\n` +
    `  ${sender} → ${printable(recipient)}: ${bold(printable(headers.subject ?? '(no subject)'))}\n`
  );
}
