/** A modal dialog: the browser's own, which traps the focus and closes on Escape. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

type Props = {
  label: string;
  class?: string;
  onClose: () => void;
  children: ComponentChildren;
};

export function Dialog({ label, class: name = '', onClose, children }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={`dialog ${name}`}
      aria-label={label}
      onClose={onClose}
      onClick={({ target, currentTarget }) => {
        // the backdrop; what was typed into a form is not lost by a slip of the mouse
        if (target === currentTarget && !currentTarget.querySelector('form')) onClose();
      }}
    >
      <div class="dialog-content">{children}</div>
    </dialog>
  );
}
