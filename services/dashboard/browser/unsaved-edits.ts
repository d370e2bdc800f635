/** Counts edits that are not saved. */
let unsaved = 0;

/** @returns runs when the edits are saved or discarded */
export function keepUnsaved(): () => void {
  unsaved++;
  return () => void unsaved--;
}

export const hasUnsaved = (): boolean => unsaved > 0;
