/** The head of a screen: its title, a line of facts, and its actions. */
import type { ComponentChildren } from 'preact';

import { Icon } from './icon.tsx';
import { Link } from './link.tsx';

type Props = {
  title: string;
  /** Leads up, from a detail to its list. */
  back?: { to: string; label: string };
  facts?: ComponentChildren;
  children?: ComponentChildren;
};

export const PageHead = ({ title, back, facts, children }: Props) => (
  <header class="page-head">
    <div class="page-title">
      {back && (
        <Link to={back.to} class="back">
          <Icon name="back" /> {back.label}
        </Link>
      )}
      <h1 dir="auto">{title}</h1>
      {facts && <div class="facts">{facts}</div>}
    </div>
    {children && <div class="buttons">{children}</div>}
  </header>
);
