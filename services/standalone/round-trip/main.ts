/**
 * `helm test`: sends an email through the installation and waits for its signed webhook. It leaves
 * only its own account.
 */
import { chooseSocketDefaults } from '../../adapters/dns/sockets.ts';
import { readConfig } from '../../adapters/process/config.ts';
import { causeChain } from '../../adapters/process/log.ts';
import { RoundTripConfig, roundTrip } from './round-trip.ts';

chooseSocketDefaults();
try {
  await roundTrip(
    readConfig(RoundTripConfig, process.env),
    (line) => void process.stdout.write(`${line}\n`),
  );
  process.exit(0);
} catch (error) {
  process.stderr.write(`round trip: ${causeChain(error)}\n`);
  process.exit(1);
}
