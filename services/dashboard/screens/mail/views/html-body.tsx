/**
 * The HTML of an email in its sandbox, as tall as its content. Nothing in it runs or leads anywhere:
 * a link shows its target here first.
 */
import { useEffect, useRef, useState } from 'preact/hooks';

import { apiPath } from '../../../client/api.ts';
import { screenUrl, setQuery } from '../../../browser/router.ts';
import { emailText } from '../../../strings/mail/email.ts';
import { LinkDialog } from './link-dialog.tsx';

const HEIGHT_MAX_PX = 20_000;
const CHANGES_MAX = 10;
const WIDTHS = ['full', 'phone'] as const;

export function HtmlBody({ eventId }: { eventId: string }) {
  const width = screenUrl.value.query.get('width') === 'phone' ? 'phone' : 'full';
  const [link, setLink] = useState<OpenedLink | undefined>();
  const watched = useRef<ResizeObserver | undefined>(undefined);
  useEffect(() => () => watched.current?.disconnect(), []);
  /** The frame has the origin of this page and no scripts, so this page reads its size. */
  const show = (frame: HTMLIFrameElement) => {
    const page = frame.contentDocument;
    if (!page) return;
    watched.current?.disconnect();
    let changes = 0; // a body as tall as the frame would grow with it
    watched.current = new ResizeObserver(() => {
      if (++changes > CHANGES_MAX) return;
      const { scrollHeight } = page.body;
      const margins = page.documentElement.offsetHeight - page.body.offsetHeight;
      const bar = frame.offsetHeight - (page.documentElement.clientHeight || frame.offsetHeight);
      const heightPx = Math.min(scrollHeight + Math.max(margins, 32) + bar, HEIGHT_MAX_PX);
      frame.style.height = `${heightPx}px`;
    });
    watched.current.observe(page.body);
    page.addEventListener('click', ({ target }) => setLink(linkAt(target)));
    page.addEventListener('keydown', ({ key, target }) => {
      if (key === 'Enter') setLink(linkAt(target));
    });
  };
  return (
    <>
      <div class="segments" role="group" aria-label={emailText.width}>
        {WIDTHS.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === width}
            onClick={() => setQuery({ width: one === 'full' ? undefined : one })}
          >
            {emailText.widths[one]}
          </button>
        ))}
      </div>
      <iframe
        class={`mail-html mail-html-${width}`}
        sandbox="allow-same-origin"
        title={emailText.htmlTitle}
        src={apiPath('/deliveries/{event_id}/html', { event_id: eventId })}
        onLoad={({ currentTarget }) => show(currentTarget)}
      />
      <p class="hint">{emailText.htmlHint}</p>
      {link && <LinkDialog link={link} close={() => setLink(undefined)} />}
    </>
  );
}

type OpenedLink = { url: string; text: string };

/** Nodes of the frame belong to the frame's own classes, so they are not instances of this page's classes. */
function linkAt(target: EventTarget | null): OpenedLink | undefined {
  const anchor = (target as Element | null)?.closest?.('a[data-href]');
  const url = anchor?.getAttribute('data-href');
  return anchor && url ? { url, text: anchor.textContent } : undefined;
}
