/** A link to a screen: opens it in this page, or in a new tab as the browser's user asks. */
import type { ComponentChildren } from 'preact';

import { go, hrefOf } from '../browser/router.ts';

type Props = {
  to: string;
  class?: string;
  title?: string;
  'aria-current'?: 'page' | undefined;
  children: ComponentChildren;
};

/** Any other click opens a new tab or window. */
export const isPlainClick = ({ metaKey, ctrlKey, shiftKey, altKey, button }: MouseEvent): boolean =>
  !metaKey && !ctrlKey && !shiftKey && !altKey && button === 0;

export function Link({ to, children, ...rest }: Props) {
  const follow = (event: MouseEvent) => {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a href={hrefOf(to)} onClick={follow} {...rest}>
      {children}
    </a>
  );
}
