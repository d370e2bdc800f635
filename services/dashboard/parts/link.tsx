/** A link to a screen: opens it in this page, or in a new tab as the browser's user asks. */
import type { ComponentChildren } from 'preact';

import { go, hrefOf } from '../browser/router.ts';

type Props = {
  to: string;
  class?: string;
  'aria-current'?: 'page' | undefined;
  children: ComponentChildren;
};

export function Link({ to, children, ...rest }: Props) {
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0)
      return;
    event.preventDefault();
    go(to);
  };
  return (
    <a href={hrefOf(to)} onClick={follow} {...rest}>
      {children}
    </a>
  );
}
