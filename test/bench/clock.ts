/**
 * Milliseconds since 1970 with fractions, from a clock that agrees closely between the processes of
 * this machine.
 */
export const nowMs = (): number => performance.timeOrigin + performance.now();
