/** `npm start`: runs all of Inlet on this machine. */
import { readConfig } from '../adapters/process/config.ts';
import { StandaloneConfig } from './config.ts';
import { runStandalone } from './run.ts';
import { faultText } from './screen.ts';

let isReady = false;
const stopAsked = new Promise<string>((resolve) => {
  function stop(signal: NodeJS.Signals): void {
    // while starting: exit handlers kill the programs and remove half-finished downloads
    if (!isReady) process.exit(130);
    resolve(signal);
  }
  process.on('SIGINT', stop).on('SIGTERM', stop);
});

const onReady = () => void (isReady = true);
const write = (text: string) => void process.stdout.write(text);

try {
  await runStandalone(readConfig(StandaloneConfig, process.env), {
    env: process.env,
    write,
    stopAsked,
    onReady,
  });
  process.exit(0);
} catch (error) {
  process.stderr.write(`inlet: ${faultText(error)}\n`);
  process.exit(1);
}
