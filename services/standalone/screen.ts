/**
 * The texts of `npm start`: each webhook that arrives, how to reach everything, what to try, and
 * errors.
 */
import { causeChain } from '../adapters/process/log.ts';
import type { Webhook } from './round-trip/receiver.ts';
import type { StandaloneState } from './state/state.ts';

const EXCERPT_CHARS = 200;

const LINES_MAX = 10;

/** The first webhook whole, the next nine in a line each, then how many there are: 20, 30 … 100, 200 … */
export function createWebhookTexts(): (webhook: Webhook) => string | undefined {
  let count = 0;
  return (webhook) => {
    count++;
    if (count === 1) return `\n${webhookText(webhook)}\n`;
    if (count <= LINES_MAX) return webhookLine(webhook);
    const isShown = count % 10 ** Math.floor(Math.log10(count)) === 0;
    return isShown ? `${count.toLocaleString('en')} webhooks received\n` : undefined;
  };
}

function webhookLine({ event_id, headers, envelope }: Webhook): string {
  const sender = headers.from ?? envelope.mail_from;
  const text = `${sender} → ${envelope.rcpt_to.join(', ')}: ${headers.subject ?? '(no subject)'}`;
  return `webhook received  ${event_id}  ${printable(text)}\n`;
}

export function webhookText(webhook: Webhook): string {
  const { headers, content, attachments } = webhook;
  const excerpt = printable(content.text ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const rows = [
    ['event', webhook.event_id],
    ['from', headers.from ?? webhook.envelope.mail_from],
    ['to', headers.to ?? webhook.envelope.rcpt_to.join(', ')],
    ['subject', headers.subject ?? '(none)'],
    [
      'text',
      excerpt.length > EXCERPT_CHARS ? `${excerpt.slice(0, EXCERPT_CHARS)} …` : excerpt || '(none)',
    ],
    ...attachments.map((file) => [
      'attached',
      `${file.filename ?? '(unnamed)'}, ${file.content_type}, ${file.size_bytes.toLocaleString('en')} bytes`,
    ]),
    ['size', `${content.size_bytes.toLocaleString('en')} bytes`],
  ];
  return [
    'webhook received, signature verified',
    ...rows.map(([name = '', value = '']) => `  ${name.padEnd(9)}${printable(value)}`),
  ].join('\n');
}

type ReadyFacts = {
  dataDir: string;
  /** Whether INLET_DIR chose the folder: commands in another terminal need it, too. */
  hasOwnDir: boolean;
  /** A link that works once; undefined without a dashboard. */
  dashboard: string | undefined;
  /** Whether the dashboard shows the sample email. */
  isFirst: boolean;
};

export function readyText(
  state: StandaloneState,
  { dataDir, hasOwnDir, dashboard, isFirst }: ReadyFacts,
): string {
  const settings = hasOwnDir ? `INLET_DIR='${dataDir.replaceAll("'", `'\\''`)}' ` : '';
  const opening =
    dashboard === undefined
      ? ''
      : `Open the dashboard, signed in${isFirst ? ' and showing that email' : ''}.
The link works once, for five minutes:

  ${dashboard}

Later, sign in there with the token below.

`;
  return `
Inlet is ready.

${opening}  SMTP      ${state.smtp_host}:${state.smtp_port} (STARTTLS)
  API       ${state.api_url} (reference: ${state.api_url}/docs)
  Token     ${state.token}
  Address   ${state.address}
  Receiver  ${state.receiver_url} (a demo; it verifies signatures)

Try this in another terminal:

  # Send an email. Its webhook appears here.
  ${settings}npm exec inlet -- send ${state.address} --subject "Hello"

  # List your addresses.
  curl -H "Authorization: Bearer ${state.token}" ${state.api_url}/addresses

  # Create an address whose webhooks are sent to the demo receiver.
  curl -H "Authorization: Bearer ${state.token}" -H "Content-Type: application/json" \\
    -d '{"webhook_url":"${state.receiver_url}"}' ${state.api_url}/addresses

  # Receive in a program of yours, over plain HTTP.
  ${settings}npm exec inlet -- listen --forward http://localhost:3000

Data and logs are in ${dataDir}.
Press Ctrl-C to stop. The next start continues with the same data, token and address.
`;
}

/** The only output in production that has a token: INLET_TOKEN makes it unnecessary. */
export function firstStartText(
  { token, address }: StandaloneState,
  { dashboard, env }: { dashboard: string | undefined; env: NodeJS.ProcessEnv },
): string {
  const link = dashboard === undefined ? '' : ` Dashboard, once, for five minutes: ${dashboard}`;
  const shown = env.INLET_TOKEN ? '' : ` Token: ${token}`;
  return `First start.${link}${shown} Address: ${address}\n`;
}

/** Why `npm start` failed, in one sentence. */
export function faultText(error: unknown): string {
  const isFull = error instanceof Error && 'code' in error && error.code === 'ENOSPC';
  return isFull ? `the disk is full (${error.message})` : causeChain(error);
}

/** Anyone can send an email, so its control characters must not reach the terminal. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, (character) => (/\s/.test(character) ? ' ' : '�'));
}
