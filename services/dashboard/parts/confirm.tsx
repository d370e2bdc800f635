/** Asks once before an action, and says what it will do. */
import { signal } from '@preact/signals';

import { partsText } from '../strings/parts.ts';
import { Dialog } from './dialog.tsx';

type Question = {
  title: string;
  /** What will happen. */
  text: string;
  /** Label of the button that does it. */
  action: string;
  /** Label of the button that does not; `Cancel` without it. */
  cancel?: string;
  isDestructive?: boolean;
};
type OpenQuestion = Question & { answer: (isConfirmed: boolean) => void };

const requested = signal<OpenQuestion | undefined>(undefined);

export const confirm = (question: Question): Promise<boolean> =>
  new Promise((resolve) => {
    requested.value = {
      ...question,
      answer: (isConfirmed) => {
        requested.value = undefined;
        resolve(isConfirmed);
      },
    };
  });

/** The shell shows the question with this. */
export function Confirmation() {
  const question = requested.value;
  if (!question) return null;
  const {
    title,
    text,
    action,
    cancel = partsText.cancel,
    isDestructive = false,
    answer,
  } = question;
  return (
    <Dialog label={title} onClose={() => answer(false)}>
      <h2>{title}</h2>
      <p>{text}</p>
      <div class="buttons">
        <button
          type="button"
          class={isDestructive ? 'danger' : 'primary'}
          autoFocus={!isDestructive}
          onClick={() => answer(true)}
        >
          {action}
        </button>
        <button type="button" autoFocus={isDestructive} onClick={() => answer(false)}>
          {cancel}
        </button>
      </div>
    </Dialog>
  );
}
