/** Starts the sweeps of a dispatcher: files of erased emails, lost deliveries, ended retention. */
import type { Deliveries } from '../../adapters/mongo/delivery/deliveries.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { StartSweep } from '../../adapters/process/sweeps.ts';
import type { MailErasure } from '../../adapters/stream/erase.ts';
import type { EnsuredStreams } from '../../adapters/stream/events/streams.ts';
import { createObjects } from '../../adapters/stream/objects/objects.ts';
import type { KeyOf } from '../../adapters/stream/objects/sealed-content.ts';
import { purgeMail } from '../../adapters/stream/purge.ts';
import { createReplayStore, createWaitsInLane } from '../../adapters/stream/replay.ts';
import { createStorageRoom } from '../../platform/servers/storage-room.ts';
import { startErasedFiles } from '../attempt/files/erased-files.ts';
import type { createDeleteFiles } from '../attempt/files/file-storage.ts';
import type { DispatcherConfig } from '../process/config.ts';
import type { DispatcherMetrics } from '../process/metrics.ts';
import { startJanitor } from './janitor.ts';
import { startLostDeliveries } from './lost-deliveries.ts';

type UpkeepDependencies = {
  deliveries: Deliveries;
  streams: EnsuredStreams;
  contents: MailErasure;
  contentKeyOf: KeyOf;
  deleteFiles: ReturnType<typeof createDeleteFiles>;
  startSweep: StartSweep;
  metrics: DispatcherMetrics;
};

/** @param parts stops what this starts */
export function startUpkeep(
  { REGION: region, FAILED_RETENTION: keptMs, REPLAY_RETENTION }: DispatcherConfig,
  io: UpkeepDependencies,
  parts: AsyncDisposableStack,
  log: Log,
): void {
  const { deliveries, streams, contents, startSweep, metrics } = io;
  const store = createReplayStore(streams, io.contentKeyOf);
  const beginLook = () => createWaitsInLane(streams);
  const bodies = createObjects(streams.bodies);
  const keepFree = () => createStorageRoom(streams, deliveries, log).keepFree();
  const purge = (keepFrom: Date) => purgeMail(streams, keepFrom);
  parts.use(startErasedFiles(io, log));
  parts.use(
    startLostDeliveries({ deliveries, store, beginLook, region, keptMs, startSweep, metrics }, log),
  );
  parts.use(
    startJanitor(
      { purgeMail: purge, keepFree, bodies, contents, region, deliveries },
      REPLAY_RETENTION,
      startSweep,
      log,
    ),
  );
}
