/** The head of a screen: its title, a line of facts, and its actions. */
import type { ComponentChildren } from 'preact';

import { Icon } from './icon.tsx';
import { Link } from './link.tsx';

/** Leads up, from a detail to its list. */
export type Back = { to: string; label: string };

type Props = {
  title: string;
  back?: Back;
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
