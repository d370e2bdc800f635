// Loaded into a gateway (`--import`): while the file THREAD_FAULT_FILE exists, no thread of it starts.
import { existsSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

if (!isMainThread && existsSync(String(process.env.THREAD_FAULT_FILE)))
  throw new Error('provoked: no thread');
