/** JSON that programs of others write. */

/**
 * Undefined for text that is not JSON. A byte order mark is ignored, as RFC 8259 §8.1 allows: some programs
 * write one.
 */
export function jsonOf(text: string | null): unknown {
  try {
    return JSON.parse((text ?? '').replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}
