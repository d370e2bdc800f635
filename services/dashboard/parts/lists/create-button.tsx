/** A form above a list, which a button in the head of the screen or a link opens. */
import { useShortcut } from '../../browser/keyboard.ts';
import { place, setQuery } from '../../browser/router.ts';
import { partsText } from '../../strings/parts.ts';
import { Icon } from '../icon.tsx';

const FIELD = 'new';

export const isFormOpen = (): boolean => place.value.query.has(FIELD);
export const closeForm = (): void => setQuery({ [FIELD]: undefined });

export function CreateButton({ label }: { label: string }) {
  const open = () => setQuery({ [FIELD]: '1' });
  useShortcut('c', label, open);
  if (isFormOpen())
    return (
      <button type="button" onClick={closeForm}>
        {partsText.cancel}
      </button>
    );
  return (
    <button type="button" class="primary" onClick={open}>
      <Icon name="plus" /> {label}
    </button>
  );
}
