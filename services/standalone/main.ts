/** `npm start` and the container: runs all of Inlet on this machine, or prints help. */
import { chooseSocketDefaults } from '../adapters/dns/sockets.ts';
import { readConfig } from '../adapters/process/config.ts';
import { StandaloneConfig } from './settings/config.ts';
import { helpText } from './help.ts';
import { runStandalone } from './run.ts';
import { faultText } from './screen.ts';

const USAGE_FAULT = 2;
const [argument] = process.argv.slice(2);
const isDemo = argument === '--demo';
const isProduction = argument === '--production';
if (argument !== undefined && !isDemo && !isProduction) {
  const isHelp = argument === '--help' || argument === '-h';
  if (isHelp) process.stdout.write(helpText());
  else
    process.stderr.write(
      `inlet: npm start takes no argument ${argument}. See npm start -- --help\n`,
    );
  process.exit(isHelp ? 0 : USAGE_FAULT);
}

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

chooseSocketDefaults();
try {
  await runStandalone(readConfig(StandaloneConfig, process.env), {
    env: process.env,
    write,
    stopAsked,
    onReady,
    isDemo,
    isProduction,
  });
  process.exit(0);
} catch (error) {
  process.stderr.write(`inlet: ${faultText(error)}\n`);
  process.exit(1);
}
