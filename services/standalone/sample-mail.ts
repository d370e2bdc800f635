/**
 * The email that `npm start` sends to itself: it arrives over SMTP and leaves as a signed webhook.
 */
import { randomUUID } from 'node:crypto';

import { withDeadline } from '../adapters/async/deadline.ts';
import { sendMail } from '../adapters/smtp/mail-client.ts';
import type { Webhook } from './round-trip/receiver.ts';
import type { StandaloneState } from './state/state.ts';

const ARRIVAL_TIMEOUT_MS = 30_000;

type SampleMail = {
  /** Call it with every webhook that arrives. */
  note: (webhook: Webhook) => void;
  /**
   * Resolves with the event id when the webhook of the email has arrived. @throws if it does not,
   * with the log to read
   */
  send: (state: StandaloneState, dispatcherLog: string) => Promise<string>;
};

export function createSampleMail(): SampleMail {
  const messageId = `<${randomUUID()}@example.com>`;
  const arrival = Promise.withResolvers<string>();

  function note({ headers, event_id }: Webhook): void {
    // the payload has it with or without angle brackets
    if (headers.message_id !== null && messageId.includes(headers.message_id))
      arrival.resolve(event_id);
  }

  async function send(state: StandaloneState, dispatcherLog: string): Promise<string> {
    await sendMail(
      { host: state.smtp_host, port: state.smtp_port, caFile: state.smtp_ca_file },
      {
        messageId,
        from: 'Inlet <hello@example.com>',
        to: state.address,
        subject: 'Your first email',
        text: 'This email arrived over SMTP and left as a signed webhook.',
        attachments: [{ filename: 'hello.txt', content: Buffer.from('An attachment.\n') }],
      },
    );
    const fault = `the webhook of the sample email did not arrive (see ${dispatcherLog})`;
    return withDeadline(ARRIVAL_TIMEOUT_MS, arrival.promise, fault);
  }
  return { note, send };
}
