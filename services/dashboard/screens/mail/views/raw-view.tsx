/** The raw email as text, where the address stores it: its beginning, and a link to all of it. */
import { request } from '../../../client/api.ts';
import type { Email } from '../../../../core/api/api-types.generated.ts';
import { useResource } from '../../../client/resource.ts';
import { CodeBlock } from '../../../parts/copy.tsx';
import { formatSize } from '../../../parts/format.ts';
import { Icon } from '../../../parts/icon.tsx';
import { plain } from '../../../parts/plain-text.ts';
import { Loaded } from '../../../parts/states.tsx';
import { emailText } from '../../../strings/mail/email.ts';

/** An attachment of megabytes would only slow the browser down. */
const SHOWN_MAX_BYTES = 256 * 1024;

export const RawView = ({ email: { content } }: { email: Email }) =>
  content.raw_url === undefined ? (
    <div class="card stack">
      <p class="hint">{emailText.rawMissing}</p>
    </div>
  ) : (
    <RawText url={content.raw_url} />
  );

function RawText({ url }: { url: string }) {
  const resource = useResource(url, (signal) => beginningOf(url, signal));
  return (
    <div class="card stack">
      <p class="hint">{emailText.rawHint}</p>
      <p>
        <a class="button" href={url} rel="noreferrer">
          <Icon name="download" /> {emailText.downloadRaw}
        </a>
      </p>
      <Loaded resource={resource}>
        {({ text, isCut }) => (
          <>
            <CodeBlock text={text} what={emailText.views.raw} />
            {isCut && <p class="hint">{emailText.rawCut(formatSize(SHOWN_MAX_BYTES))}</p>}
          </>
        )}
      </Loaded>
    </div>
  );
}

/** Asks this host, whatever the link names: the page's policy allows no other. */
async function beginningOf(url: string, signal: AbortSignal) {
  const { pathname, search } = new URL(url, location.href);
  const response = await request('GET', pathname + search, undefined, signal);
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let left = SHOWN_MAX_BYTES;
  for (;;) {
    const chunk = await reader?.read();
    if (!chunk || chunk.done) return { text: shown(text), isCut: false };
    text += decoder.decode(chunk.value.subarray(0, left), { stream: true });
    left -= chunk.value.length;
    if (left < 0) {
      await reader?.cancel();
      return { text: shown(text), isCut: true };
    }
  }
}

const shown = (text: string): string => plain(text.replaceAll('\r\n', '\n'));
