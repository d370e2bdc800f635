/** A labeled field of a form, with its hint and the error that the API reports for it. */
import { cloneElement, type VNode } from 'preact';
import { useId } from 'preact/hooks';

type Props = {
  label: string;
  hint?: string | undefined;
  /** What the API rejected about this field. */
  error?: string | undefined;
  /** The control. It is inside the label. */
  children: VNode<object>;
};

export function Field({ label, hint, error, children }: Props) {
  const id = useId();
  return (
    <div class="field">
      <label>
        {label}
        {error === undefined
          ? children
          : cloneElement(children, { 'aria-invalid': true, 'aria-describedby': id })}
      </label>
      {hint !== undefined && <p class="hint">{hint}</p>}
      <FieldError id={id} error={error} />
    </div>
  );
}

/** Below a control that has no `Field` of its own. */
export const FieldError = ({ id, error }: { id?: string; error: string | undefined }) =>
  error === undefined ? null : (
    <p id={id} class="field-error" role="alert">
      {error}
    </p>
  );
