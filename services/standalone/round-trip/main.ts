/** `helm test`: one mail goes the whole way on the cluster, in by SMTP and out as a signed webhook, and is counted. It leaves nothing but an account of its own. */
import { readConfig } from '../../adapters/process/config.ts';
import { causeChain } from '../../adapters/process/log.ts';
import { RoundTripConfig, roundTrip } from './round-trip.ts';

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
