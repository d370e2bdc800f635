/** The head of a screen: its title, a line of facts, and its actions. It also names the browser's tab. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

import { goBackTo, hrefOf, urlLeft } from '../browser/router.ts';
import { CopyButton } from './copy.tsx';
import { Icon } from './icon.tsx';
import { isPlainClick } from './link.tsx';

/** Leads up, from a detail to its list. */
export type Back = { to: string; label: string };

type Props = {
  title: string;
  /** What the title is, if it can be copied. */
  copied?: string;
  back?: Back;
  facts?: ComponentChildren;
  children?: ComponentChildren;
};

export function PageHead({ title, copied, back, facts, children }: Props) {
  useEffect(() => void (document.title = `${title} · Inlet`), [title]);
  return (
    <header class="page-head">
      <div class="page-title">
        {back && <BackLink {...back} />}
        <div class="title-line">
          <h1 dir="auto">{title}</h1>
          {copied !== undefined && <CopyButton text={title} what={copied} />}
        </div>
        {facts && <div class="facts">{facts}</div>}
      </div>
      {children && <div class="buttons">{children}</div>}
    </header>
  );
}

/** The list as the user left it. */
const BackLink = ({ to, label }: Back) => (
  <a
    class="back"
    href={hrefOf(urlLeft(to))}
    onClick={(event) => {
      if (!isPlainClick(event)) return;
      event.preventDefault();
      goBackTo(to);
    }}
  >
    <Icon name="back" /> {label}
  </a>
);
