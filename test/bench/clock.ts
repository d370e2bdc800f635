/** Milliseconds since 1970 with their fractions, on a clock that all processes of this machine share closely enough. */
export const nowMs = (): number => performance.timeOrigin + performance.now();
