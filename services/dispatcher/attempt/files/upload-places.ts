/**
 * Which upload is next, when more wait than run at the same time: the oldest one of the account that has
 * the fewest in progress. So a bucket that hangs holds up its own account, and others for one upload.
 */
type Waiting = { accountId: string; begin: () => void };

export function createUploadPlaces(together: number) {
  const running: string[] = []; // the accounts
  const waiting: Waiting[] = []; // bounded by the slots of the dispatcher
  const runningOf = (accountId: string) => running.filter((one) => one === accountId).length;

  const beginNext = (): void => {
    const [next] = waiting.toSorted((a, b) => runningOf(a.accountId) - runningOf(b.accountId));
    if (next === undefined) return;
    waiting.splice(waiting.indexOf(next), 1);
    running.push(next.accountId);
    next.begin();
  };

  return async function inPlace<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    if (running.length < together) running.push(accountId);
    else await new Promise<void>((begin) => waiting.push({ accountId, begin }));
    try {
      return await work();
    } finally {
      running.splice(running.indexOf(accountId), 1);
      beginNext();
    }
  };
}
