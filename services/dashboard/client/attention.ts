/** Whether somebody uses this page. What a forgotten page reloads does not keep its session alive. */
const ATTENDED_MS = 60_000;
const INPUTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchmove'] as const;

let lastInputMs = performance.now();
for (const input of INPUTS)
  addEventListener(input, () => void (lastInputMs = performance.now()), {
    capture: true,
    passive: true,
  });

export const isAttended = (): boolean => performance.now() - lastInputMs < ATTENDED_MS;
