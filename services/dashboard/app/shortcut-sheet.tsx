/** The list of all shortcuts of the present screen. */
import { Dialog } from '../parts/dialog.tsx';
import { shellText } from '../strings/shell.ts';
import { isSheetOpen, shortcuts } from '../browser/keyboard.ts';

const close = () => void (isSheetOpen.value = false);

export function ShortcutSheet() {
  if (!isSheetOpen.value) return null;
  const rows = [
    { key: '?', label: shellText.shortcuts },
    { key: Object.values(shellText.paletteKeys).join(' / '), label: shellText.palette },
    ...shortcuts.value,
  ];
  return (
    <Dialog label={shellText.shortcuts} class="sheet" onClose={close}>
      <h2>{shellText.shortcuts}</h2>
      <dl class="keys">
        {rows.map(({ key, label }) => (
          <div key={`${key}${label}`}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={close}>
        {shellText.close}
      </button>
    </Dialog>
  );
}
