/** The color of a delivery's status. */
import type { Paint } from './text.ts';

/** The status may have blanks after it. */
export const paintStatus =
  (paint: Paint) =>
  (text: string): string => {
    const status = text.trim();
    if (status === 'delivered' || status === 'accepted') return paint.green(text);
    return status === 'failed' || status === 'refused' ? paint.red(text) : paint.yellow(text);
  };
