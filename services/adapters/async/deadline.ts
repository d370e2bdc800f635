/** Waits with a deadline. The work itself continues after it, because nothing here can stop it. */

/** The work did not end before its deadline. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/**
 * Waits for `work`, at most `timeoutMs`.
 * @param fault begins the message of the error: `no reply` becomes `no reply within 30 s`
 * @throws DeadlineError when the work takes longer
 */
export async function withDeadline<T>(
  timeoutMs: number,
  work: Promise<T>,
  fault = 'no answer',
): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new DeadlineError(`${fault} within ${timeoutMs / 1000} s`)),
    timeoutMs,
  );
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}
