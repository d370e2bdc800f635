/** A form above a list, which a button in the head of the screen or a link opens. */
import { useShortcut } from '../../browser/keyboard.ts';
import { screenUrl, setQuery } from '../../browser/router.ts';
import { partsText } from '../../strings/parts.ts';
import { Icon } from '../icon.tsx';

const FIELD = 'new';

export const isFormOpen = (): boolean => screenUrl.value.query.has(FIELD);
export const closeForm = (): void => setQuery({ [FIELD]: undefined });

const openForm = (): void => setQuery({ [FIELD]: '1' });

export function CreateButton({ label }: { label: string }) {
  useShortcut('c', label, openForm);
  if (isFormOpen())
    return (
      <button type="button" onClick={closeForm}>
        {partsText.cancel}
      </button>
    );
  return (
    <button type="button" class="primary" onClick={openForm}>
      <Icon name="plus" /> {label}
    </button>
  );
}
