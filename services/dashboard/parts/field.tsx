/** A labeled field of a form, with its hint and the error that the API reports for it. */
import type { ComponentChildren } from 'preact';

type Props = {
  label: string;
  hint?: string | undefined;
  /** What the API rejected about this field. */
  error?: string | undefined;
  /** The control. It is inside the label. */
  children: ComponentChildren;
};

export const Field = ({ label, hint, error, children }: Props) => (
  <div class="field">
    <label>
      {label}
      {children}
    </label>
    {hint !== undefined && <p class="hint">{hint}</p>}
    {error !== undefined && (
      <p class="field-error" role="alert">
        {error}
      </p>
    )}
  </div>
);
