/** M.1: what erasing removes, and which files are still to be deleted, with several dispatchers. */
import { expect, test } from 'vitest';

import { createDeliveries } from '../../../../services/adapters/mongo/delivery/deliveries.ts';
import type { DispatchEvent } from '../../../../services/core/delivery/delivery-event.ts';
import { wholeAccount } from '../../../../services/core/address/scope.ts';
import { deletionAfterFailure } from '../../../../services/core/bucket/file-deletion.ts';
import type { StoredFiles } from '../../../../services/core/bucket/stored-files.ts';
import { changeTo, mailEvent } from '../../../support/mail-events.ts';
import { newAddress } from '../../../support/new-address.ts';
import { startTestDatabase } from '../../../support/test-database.ts';
import { useInFile } from '../../../support/use-in-file.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const LATER = new Date('2026-03-01T14:00:00Z');
const FILES: StoredFiles = {
  name: 'files',
  endpoint: 'https://s3.example.com',
  bucket: 'example-mail',
  region: 'auto',
  addressing: 'path',
  folder: 'addr_1/evt_1/',
  raw: { sha256: 'ab', size_bytes: 4 },
};

const mongo = await useInFile(startTestDatabase());
const deliveries = createDeliveries(mongo.db);

test('M.1: a dispatcher that fails after another one has deleted the files does not ask for it again', async () => {
  const address = newAddress('https://receiver.example/');
  const event = mailEvent(address, NOW);
  const stored = { ...changeTo('delivered', event), storedFiles: FILES } as DispatchEvent;
  await deliveries.record([stored], NOW);
  await deliveries.markErased(wholeAccount(address), event.event_id, NOW);
  const due = async () => (await deliveries.filesToDelete(LATER, 50)).map(({ files }) => files);
  expect(await due()).toEqual([FILES]);
  await deliveries.filesNotDeleted(event.event_id, deletionAfterFailure(1, NOW));
  expect(await due()).toEqual([FILES]);
  await deliveries.filesDeleted(event.event_id);
  await deliveries.filesNotDeleted(event.event_id, deletionAfterFailure(2, NOW));
  expect(await due()).toEqual([]);
  const record = await deliveries.find(wholeAccount(address), event.event_id);
  expect(record?.file_deletion).toBeUndefined();
});

test('M.1: the summary of a report in a record of an earlier release leaves with the content', async () => {
  const address = newAddress('https://receiver.example/');
  const event = mailEvent(address, NOW);
  await deliveries.record([changeTo('delivered', event)], NOW);
  const records = mongo.db.collection<{ _id: string }>('deliveries');
  const report = { kind: 'dmarc', domain: 'own.example', organization: 'Ann & Co' };
  await records.updateOne({ _id: event.event_id }, { $set: { report } });
  await deliveries.markErased(wholeAccount(address), event.event_id, NOW);
  expect(await records.findOne({ _id: event.event_id })).not.toHaveProperty('report');
});
