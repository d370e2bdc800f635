/** Where a link of an email leads, before anyone follows it. */
import { CopyButton } from '../../../parts/copy.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { plain } from '../../../parts/plain-text.ts';
import { emailText } from '../../../strings/mail/email.ts';

type Props = { link: { url: string; text: string }; close: () => void };

export function LinkDialog({ link: { url, text }, close }: Props) {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  const isWeb = target !== undefined && ['http:', 'https:'].includes(target.protocol);
  return (
    <Dialog label={emailText.linkTitle} onClose={close}>
      <h2>{emailText.linkTitle}</h2>
      {target && isWeb && <p class="link-host">{plain(target.host)}</p>}
      <p class="link-url">
        <code>{plain(target?.href ?? url)}</code>
        <CopyButton text={url} what={emailText.link} />
      </p>
      {namesOther(text, target) && <p class="notice notice-bad">{emailText.linkNamesOther}</p>}
      <p class="hint">{emailText.linkHint}</p>
      <div class="buttons">
        {target && isWeb && (
          <a
            class="button"
            href={target.href}
            target="_blank"
            rel="noopener noreferrer"
            onClick={close}
          >
            {emailText.openLink}
          </a>
        )}
        <button type="button" autoFocus onClick={close}>
          {emailText.closeLink}
        </button>
      </div>
    </Dialog>
  );
}

/** The text of the link looks like the address of another host. */
function namesOther(text: string, target: URL | undefined): boolean {
  const [, named] =
    /^\s*(?:https?:\/\/)?((?:[a-z0-9-]+\.)+[a-z]{2,})(?:[/?#:\s]|$)/i.exec(text) ?? [];
  return named !== undefined && target !== undefined && named.toLowerCase() !== target.hostname;
}
