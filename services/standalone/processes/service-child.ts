/**
 * Starts a service as a pod does: its main.ts, with settings in the environment. Its log line
 * `<name>.listening` has the ports.
 */
import { fileURLToPath } from 'node:url';

import { startProcess, type ChildProcess, type OnSpawn } from './child-process.ts';

const START_TIMEOUT_MS = 60_000;

export type ServiceName = 'gateway' | 'dispatcher' | 'api';

export type ServiceChild = ChildProcess & { ports: AnnouncedPorts };

type AnnouncedPorts = Partial<Record<'smtp_port' | 'api_port' | 'metrics_port', number>>;

export async function startServiceChild(
  name: ServiceName,
  env: NodeJS.ProcessEnv,
  logFile: string | undefined,
  onSpawn?: OnSpawn,
  killAfterMs?: number,
): Promise<ServiceChild> {
  const main = fileURLToPath(new URL(`../../${name}/main.ts`, import.meta.url));
  const child = await startProcess({
    name,
    command: process.execPath,
    args: [main],
    env,
    logFile,
    onSpawn,
    killAfterMs,
  });
  try {
    const ports = await child.announced(
      (line) => portsIn(line, `${name}.listening`),
      START_TIMEOUT_MS,
    );
    return { ...child, ports };
  } catch (error) {
    await child.stop();
    throw error;
  }
}

function portsIn(line: string, event: string): AnnouncedPorts | undefined {
  if (!line.startsWith('{') || !line.includes(event)) return undefined;
  const { event: name, ...fields } = JSON.parse(line) as { event?: string } & AnnouncedPorts;
  return name === event ? fields : undefined;
}
