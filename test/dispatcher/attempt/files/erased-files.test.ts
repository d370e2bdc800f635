/** M.1: a bucket that hangs does not hold up the erasure of files in other buckets. */
import { expect, test } from 'vitest';

import type { FilesToDelete } from '../../../../services/adapters/mongo/delivery/upkeep.ts';
import type { StartSweep } from '../../../../services/adapters/process/sweeps.ts';
import type { FileDeletion } from '../../../../services/core/bucket/file-deletion.ts';
import { startErasedFiles } from '../../../../services/dispatcher/attempt/files/erased-files.ts';
import { log } from '../../../support/pipeline.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const ofBucket = (name: string): FilesToDelete => ({
  event_id: `evt_${name}`,
  account_id: 'acc_1',
  environment: 'live',
  address_id: 'addr_1',
  files: {
    name,
    endpoint: 'https://s3.example.com',
    bucket: name,
    region: 'auto',
    addressing: 'path',
    folder: 'addr_1/evt_1/',
  },
  failures: 0,
});

const works = () => Promise.resolve(undefined);

/** A sweep that runs once, when it is started. */
function oneRound() {
  let round: ReturnType<Parameters<StartSweep>[2]> = Promise.resolve();
  const start: StartSweep = (_name, _everyMs, run) => {
    round = run(NOW, () => NOW);
    return { [Symbol.asyncDispose]: () => Promise.resolve() };
  };
  return { start, ended: () => round };
}

test('M.1: files of one round are deleted at the same time, and failures are tried again after an hour', async () => {
  const hanging = Promise.withResolvers<string>();
  const deleted: string[] = [];
  const failed = new Map<string, FileDeletion>();
  const deliveries = {
    filesToDelete: () => Promise.resolve(['hangs', 'works'].map(ofBucket)),
    filesDeleted: async (id: string) => void deleted.push(await Promise.resolve(id)),
    filesNotDeleted: async (id: string, next: FileDeletion) =>
      void failed.set(await Promise.resolve(id), next),
  };
  const sweep = oneRound();
  const deleteFiles = ({ files }: FilesToDelete) =>
    files?.name === 'hangs' ? hanging.promise : Promise.resolve(undefined);
  using _job = startErasedFiles({ deliveries, deleteFiles, startSweep: sweep.start }, log);
  await expect.poll(() => deleted).toEqual(['evt_works']);
  hanging.resolve('DELETE: no response within 60 s');
  await sweep.ended();
  expect([...failed]).toEqual([
    ['evt_hangs', { at: new Date('2026-03-01T13:00:00Z'), failures: 1 }],
  ]);
});

test('M.1: one round deletes the files of all erased emails, however many', async () => {
  const waiting = new Set(Array.from({ length: 120 }, (_, i) => `b${i}`));
  const deliveries = {
    filesToDelete: (_: Date, limit: number) =>
      Promise.resolve([...waiting].slice(0, limit).map(ofBucket)),
    filesDeleted: async (id: string) =>
      void waiting.delete(await Promise.resolve(id.slice('evt_'.length))),
    filesNotDeleted: () => Promise.resolve(),
  };
  const sweep = oneRound();
  using _job = startErasedFiles({ deliveries, deleteFiles: works, startSweep: sweep.start }, log);
  await sweep.ended();
  expect(waiting.size).toBe(0);
});
