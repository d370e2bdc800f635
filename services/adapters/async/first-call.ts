/**
 * Work that few processes need is done at its first use. Calls that arrive meanwhile share it, later
 * ones get its result. A failure is not cached.
 */
export function onFirstCall<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return function shared() {
    result ??= work().catch((error: unknown) => {
      result = undefined;
      throw error;
    });
    return result;
  };
}
