/** Texts of the screen of one email. */
import type { Delivery, Email } from '../../../core/api/api-types.generated.ts';
import { screenTitles } from '../screens.ts';

type Attempt = Delivery['attempts'][number];
type Virus = NonNullable<Email['virus']>;

export const emailText = {
  title: screenTitles.email,
  noSubject: '(no subject)',
  conversation: 'Conversation',
  conversationHint: 'Other emails that name the same first one. Their senders could name any.',
  wholeConversation: 'All emails of the conversation',
  to: 'to',
  receivedBy: 'received by',
  /** In the words of docs/reply-addresses.md. */
  reply: ({ status, reference, sender }: NonNullable<Email['reply']>) =>
    ['reply', reference, status, sender].filter(Boolean).join(' · '),
  previousEmail: 'Previous email of the list',
  nextEmail: 'Next email of the list',
  views: { message: 'Message', headers: 'Headers', payload: 'Payload', raw: 'Raw' },
  viewsLabel: 'Parts of the email',
  facts: 'What happened to it, and its results',
  receivers: {
    title: 'Receivers of this email',
    first: 'First receiver',
    deleted: 'Deleted receiver',
  },
  notStoredTitle: 'No longer stored',
  notStored:
    'The content of this email is no longer stored. Its delivery record remains: see the timeline.',

  replay: 'Replay',
  replayTitle: 'Deliver this email again?',
  replayText: (url: string | null | undefined) =>
    `Inlet sends it to ${url ?? 'the webhook URL of its address'} with the same event_id, and ` +
    'repeats the whole retry schedule if that fails.',
  replayed: 'The email will be sent again',
  release: 'Release',
  released: 'The email is on its way to its receivers',
  drop: 'Drop',
  dropTitle: 'Drop this email?',
  dropText: 'No receiver gets it, unless you release it later.',
  dropDone: 'The email is dropped',
  retryNow: 'Retry now',
  retried: 'The next attempt starts now',
  cancelRetries: 'Cancel retries',
  keepRetries: 'Keep trying',
  cancelTitle: 'Cancel the remaining attempts?',
  cancelText:
    'The delivery becomes “failed” and nothing more is sent. You can replay the email later.',
  canceled: 'The remaining attempts are canceled',
  erase: 'Erase',
  eraseTitle: 'Erase this email?',
  eraseText:
    'Its content, subject and sender are erased everywhere, and links to its files end. Attempts ' +
    'that remain are canceled. This cannot be undone.',
  eraseDone: 'The email is erased',
  erasedTitle: 'Erased',
  erased: 'The content of this email was erased. Its delivery record remains: see the timeline.',

  encrypted: {
    smime: 'Encrypted with S/MIME. Inlet cannot read it: the attachment holds the content.',
    pgp: 'Encrypted with PGP. Inlet cannot read it.',
  },
  signed: { smime: 'Signed with S/MIME', pgp: 'Signed with PGP' },
  signatureIs: (isValid: boolean | null) =>
    isValid === null
      ? 'not checked.'
      : isValid
        ? 'the content is what was signed. Anybody can make a certificate, so this proves no sender.'
        : 'the content is not what was signed.',
  certificate: 'Certificate:',
  textBody: 'Text',
  htmlBody: 'HTML',
  bodyKind: 'Which body is shown',
  htmlTitle: 'HTML body of the email, in a sandbox',
  htmlHint:
    'Shown without scripts and forms. Images from the internet are not loaded, so the sender learns nothing. ' +
    'A link shows where it leads first.',
  width: 'Width',
  widths: { full: 'Full width', phone: 'Phone' },
  linkTitle: 'Where this link leads',
  link: 'link',
  linkNamesOther: 'The text of the link names another host.',
  linkHint: 'A sender can know from a link who opened it. Open only what you trust.',
  openLink: 'Open in a new tab',
  closeLink: 'Do not open',
  noBody: 'This email has no text.',
  isCut: 'The text is long and was cut. The payload has all of it.',
  attachments: (count: number, shown: string) =>
    count === 1 ? '1 attachment' : `${shown} attachments`,
  download: (name: string) => `Download ${name}`,
  notInPayload: 'not in the payload',

  timeline: 'Timeline',
  received: 'Received',
  receivedFrom: ({ envelope }: Email) => `from ${envelope.helo_domain} (${envelope.remote_ip})`,
  parsed: 'Parsed and stored',
  parsedIn: (duration: string) => `in ${duration}`,
  filter: 'Filter of the receiver',
  filterFailed: (error: string) =>
    `The filter of the receiver failed, so the email is sent to it: ${error}`,
  attempt: (number: number) => `Attempt ${number}`,
  files: {
    title: 'Files in your bucket',
    inBucket: (bucket: string) => `Bucket ${bucket}`,
    key: 'the key',
    more: (count: number) => `and ${count} more`,
    deletion: {
      under_way: 'The email was erased. Its files are being deleted.',
      gave_up: 'The email was erased, but its files could not be deleted: delete them yourself.',
    },
  },
  outcome: {
    accepted: 'accepted',
    refused: 'refused',
    busy: 'busy',
    unreachable: 'not reachable',
    storage_failed: 'files not stored in the bucket',
    blocked: 'blocked',
  } as Record<string, string>,
  responded: (status: number) => `HTTP ${status}`,
  next: 'Next attempt',
  waiting: 'Waits for its first attempt',
  waitsForRelease: 'Waits for a release',
  handled: {
    held: { title: 'Held', tone: 'held' },
    dropped: { title: 'Dropped', tone: 'plain' },
    released: { title: 'Released', tone: 'good' },
    replayed: { title: 'Replayed', tone: 'good' },
    retried: { title: 'Retried now', tone: 'good' },
    canceled: { title: 'Retries canceled', tone: 'plain' },
  } as const satisfies Record<Delivery['history'][number]['did'], { title: string; tone: string }>,
  handledBy: (actor: Delivery['history'][number]['actor'], by: string | null) =>
    `by ${actor === 'token' || actor === 'operator' ? `the ${actor} ` : ''}${by ?? ''}`,
  unsent: {
    title: 'Stored: no webhook is sent',
    no_url: 'The address has no webhook URL.',
    disabled: 'The receiver of the address was switched off.',
    filtered: 'The filter of the receiver did not let the email pass.',
  },
  ended: {
    erased: {
      title: 'Given up',
      text: 'Nothing more is sent: the content is erased, so it cannot be replayed.',
    },
    canceled: {
      title: 'Canceled',
      text: 'A request ended this delivery. A replay sends it again.',
    },
    redirected: {
      title: 'Given up',
      text: 'Inlet follows no redirect. Change the webhook URL, then replay it.',
    },
    refused: {
      title: 'Given up',
      text: 'This status is final: Inlet does not retry. Replay it once the receiver accepts it.',
    },
    blocked: {
      title: 'Given up',
      text: 'Nothing was sent, and Inlet does not retry. The attempt above says why.',
    },
    lost: {
      title: 'Lost',
      text: 'The queue has lost this email before it was delivered. Ask its sender to send it again.',
    },
    expired: {
      title: 'Given up',
      text: 'No attempt succeeded in time. Replay it once the receiver works.',
    },
    backlog_full: {
      title: 'Given up',
      text: 'Too many emails of the account waited for their receivers. Replay it once they work.',
    },
    exhausted: {
      title: 'Given up',
      text: 'No attempts are left. Replay it once the receiver works.',
    },
  },
  location: (url: string) => `Location: ${url}`,
  reordered:
    'This text has characters that hide or reorder others. They are shown as codes such as \\u202e.',
  text: 'text as it was sent',
  outcomeOf: ({ outcome }: Attempt): string => emailText.outcome[outcome] ?? outcome,

  repeated: 'appears more than once',
  envelope: 'Envelope',
  mailFrom: 'MAIL FROM',
  nullSender: '(null sender: a bounce)',
  rcptTo: 'RCPT TO',
  helo: 'HELO',
  remoteIp: 'Server',
  size: 'Size',
  messageHeaders: 'Headers',

  payloadHint: 'The exact JSON that is sent to the webhook URL.',
  payload: 'payload',
  payloadLarge: (size: string) => `The payload is large (${size}).`,
  showPayload: 'Show it',
  downloadPayload: 'Download',
  curlTitle: 'Send it by hand',
  curlHint:
    'A curl command with a fresh signature. Receivers that check the time accept it for about five minutes.',
  makeCurl: 'Create the command',
  curlFile: 'The command reads the payload from payload.json: download it first.',
  curl: 'curl command',

  rawHint: 'The email as the server received it.',
  rawCut: (size: string) => `These are the first ${size}. Download the email to read all of it.`,
  rawMissing:
    'This address does not keep raw emails. Turn on “raw” in its payload options to keep new ones.',
  downloadRaw: 'Download the raw email',

  authentication: 'Authentication',
  senderProven: 'Sender proven',
  senderNotProven: 'Sender not proven',
  forged: 'Perhaps forged: nothing confirms that this email is from the domain in From.',
  authenticationOff: 'Authentication is switched off in this installation.',
  spam: 'Spam score',
  isSpam: 'Spam',
  isNotSpam: 'Not spam',
  scoredBy: { inlet: 'by Inlet’s rules', rspamd: 'by rspamd' },
  noRules: 'No rule applied.',
  virus: 'Malware',
  virusVerdicts: {
    clean: 'None found',
    infected: 'Infected',
    not_scanned: 'Not scanned',
    error: 'Scan failed',
  } satisfies Record<Virus['verdict'], string>,
  virusText: {
    clean: 'The scanner found nothing.',
    infected: 'Do not open its attachments.',
    not_scanned: 'The scanner does not look into emails of this size, or into encrypted files.',
    error: 'The scanner did not answer in time.',
  } satisfies Record<Virus['verdict'], string>,
  scanners: { clamd: 'ClamAV', rspamd: 'rspamd' } satisfies Record<Virus['scanner'], string>,
};
