/** A topic of a form that is closed at first. An invalid field within it opens it. */
import type { ComponentChildren } from 'preact';

type Props = { title: string; hint?: string; children: ComponentChildren };

export const Fold = ({ title, hint, children }: Props) => (
  <details class="fold" onInvalidCapture={({ currentTarget }) => void (currentTarget.open = true)}>
    <summary>
      <strong>{title}</strong>
      {hint !== undefined && <span class="hint">{hint}</span>}
    </summary>
    <div class="fold-content">{children}</div>
  </details>
);
