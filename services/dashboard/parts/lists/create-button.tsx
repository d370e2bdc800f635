/** The form of a list's new row: a dialog, which a button in the head of the screen or a link opens. */
import type { ComponentChildren } from 'preact';

import { useShortcut } from '../../browser/keyboard.ts';
import { screenUrl, setQuery } from '../../browser/router.ts';
import { partsText } from '../../strings/parts.ts';
import { Dialog } from '../dialog.tsx';
import { Icon } from '../icon.tsx';

const FIELD = 'new';

export const closeForm = (): void => setQuery({ [FIELD]: undefined });

const openForm = (): void => setQuery({ [FIELD]: '1' });

export function CreateButton({ label }: { label: string }) {
  useShortcut('c', label, openForm);
  return (
    <button type="button" class="primary" onClick={openForm}>
      <Icon name="plus" /> {label}
    </button>
  );
}

export const CreateDialog = ({
  label,
  children,
}: {
  label: string;
  children: ComponentChildren;
}) =>
  screenUrl.value.query.has(FIELD) ? (
    <Dialog label={label} class="dialog-wide" onClose={closeForm}>
      <div class="card-head">
        <h2>{label}</h2>
        <button type="button" class="quiet" onClick={closeForm}>
          {partsText.cancel}
        </button>
      </div>
      {children}
    </Dialog>
  ) : null;
