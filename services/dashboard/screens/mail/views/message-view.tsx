/** The email as a person reads it: text first, HTML in its sandbox, attachments below. */
import { call } from '../../../client/api.ts';
import type { Email } from '../../../../core/api/api-types.generated.ts';
import { screenUrl, setQuery } from '../../../browser/router.ts';
import { CopyButton } from '../../../parts/copy.tsx';
import { formatCount, formatSize } from '../../../parts/format.ts';
import { Icon } from '../../../parts/icon.tsx';
import { escaped, plain } from '../../../parts/plain-text.ts';
import { saveFile } from '../../../parts/save.ts';
import { reporting } from '../../../parts/toast.tsx';
import { emailText } from '../../../strings/mail/email.ts';
import { HtmlBody } from './html-body.tsx';
import { isStub } from './stub-text.ts';

export function MessageView({ email }: { email: Email }) {
  const { text, has_html: hasHtml, is_cut: isCut } = email.content;
  const requested = screenUrl.value.query.get('body');
  // a newsletter is made to be seen, and some texts only say “see the HTML”
  const isFirst = text === null || email.is_list || isStub(text);
  const isHtml = hasHtml && (requested === null ? isFirst : requested === 'html');
  return (
    <div class="card message">
      {email.parse_warnings.map(({ code, message }) => (
        <p key={code} class="notice">
          {plain(message)}
        </p>
      ))}
      <Protection email={email} />
      {text !== null && hasHtml && (
        <div class="segments" role="group" aria-label={emailText.bodyKind}>
          {[false, true].map((kind) => (
            <button
              key={String(kind)}
              type="button"
              aria-pressed={kind === isHtml}
              onClick={() => setQuery({ body: kind ? 'html' : 'text' })}
            >
              {kind ? emailText.htmlBody : emailText.textBody}
            </button>
          ))}
        </div>
      )}
      {isHtml ? (
        <HtmlBody eventId={email.event_id} />
      ) : text === null || text.trim() === '' ? (
        <p class="hint">{emailText.noBody}</p>
      ) : (
        <TextBody text={text} />
      )}
      {isCut && !isHtml && <p class="hint">{emailText.isCut}</p>}
      {email.attachments.length > 0 && <Attachments email={email} />}
    </div>
  );
}

/** The name in a certificate is what its maker wrote, so it is shown as a claim. */
const Protection = ({ email: { signature, encrypted } }: { email: Email }) => (
  <>
    {encrypted && <p class="notice">{emailText.encrypted[encrypted]}</p>}
    {signature && (
      <p class={signature.is_valid === false ? 'notice' : 'hint'}>
        {emailText.signed[signature.kind]}: {emailText.signatureIs(signature.is_valid)}
        {signature.subject !== null && (
          <>
            {' '}
            {emailText.certificate} <span dir="auto">{plain(signature.subject)}</span>
          </>
        )}
      </p>
    )}
  </>
);

function TextBody({ text }: { text: string }) {
  const shown = escaped(text);
  return (
    <>
      {shown !== text && (
        <p class="notice">
          {emailText.reordered} <CopyButton text={text} what={emailText.text} />
        </p>
      )}
      <pre class="mail-text" dir="auto">
        {shown}
      </pre>
    </>
  );
}

const Attachments = ({ email: { attachments, event_id } }: { email: Email }) => (
  <section class="attachments">
    <h2>{emailText.attachments(attachments.length, formatCount(attachments.length))}</h2>
    <ul>
      {attachments.map(({ filename, content_type, size_bytes, content_url }, n) => (
        <li key={n}>
          <Icon name="attachment" />
          <span class="attachment-name" dir="auto">
            {plain(filename)}
          </span>
          <span class="hint">
            {plain(content_type)} · {formatSize(size_bytes)}
          </span>
          {content_url === undefined ? (
            <button
              type="button"
              class="quiet"
              aria-label={emailText.download(plain(filename))}
              onClick={() => void reporting(() => saveAttachment(event_id, n))}
            >
              <Icon name="download" />
            </button>
          ) : (
            <a
              class="button quiet"
              href={content_url}
              aria-label={emailText.download(plain(filename))}
              rel="noreferrer"
            >
              <Icon name="download" />
            </a>
          )}
        </li>
      ))}
    </ul>
  </section>
);

/** The payload has the content in Base64. */
async function saveAttachment(event_id: string, index: number): Promise<void> {
  const payload = await call('GET /deliveries/{event_id}/payload', { params: { event_id } });
  const attachment = payload.attachments[index];
  if (!attachment?.content) throw new Error(emailText.notInPayload);
  const bytes = Uint8Array.from(atob(attachment.content), (sign) => sign.charCodeAt(0));
  // no type of its own: the browser saves it and never opens it as a page
  saveFile(plain(attachment.filename), bytes, 'application/octet-stream');
}
