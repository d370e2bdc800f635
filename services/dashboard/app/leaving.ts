/** The user is asked before another screen discards edits that are not saved. */
import { askBeforeLeaving } from '../browser/router.ts';
import { hasUnsaved } from '../browser/unsaved-edits.ts';
import { confirm } from '../parts/confirm.tsx';
import { partsText } from '../strings/parts.ts';

export function keepEditsWhenLeaving(): void {
  askBeforeLeaving(hasUnsaved, () =>
    confirm({
      title: partsText.unsavedTitle,
      text: partsText.unsavedText,
      action: partsText.discard,
      cancel: partsText.keepEditing,
      isDestructive: true,
    }),
  );
}
