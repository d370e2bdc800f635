// Loaded into a gateway (`--import`). In the threads that read emails, one whose text has the words below
// takes a second of CPU; and while the file THREAD_FAULT_FILE exists, a new thread does not start.
import { existsSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const WORDS = 'take-a-second';
const BURNED_MS = 1_000;

if (!isMainThread) {
  if (existsSync(String(process.env.THREAD_FAULT_FILE))) throw new Error('provoked: no thread');
  const { toString } = Buffer.prototype;
  Buffer.prototype.toString = function slowToString(...given) {
    const text = toString.apply(this, given);
    if (text.includes(WORDS)) {
      const until = performance.now() + BURNED_MS;
      while (performance.now() < until);
    }
    return text;
  };
}
