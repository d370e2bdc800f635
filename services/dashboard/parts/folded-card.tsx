/** A card that shows only its title and a result until it is opened. */
import type { ComponentChildren } from 'preact';

type Props = {
  id: string;
  title: string;
  /** The result. */
  status?: ComponentChildren;
  /** At first. */
  isOpen?: boolean;
  children: ComponentChildren;
};

export const FoldedCard = ({ id, title, status, isOpen = false, children }: Props) => (
  <section class="card" aria-labelledby={`${id}-title`}>
    <details class="folded-card" open={isOpen}>
      <summary>
        <h2 id={`${id}-title`}>{title}</h2>
        {status}
      </summary>
      {children}
    </details>
  </section>
);
