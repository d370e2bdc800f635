/** A program of another language that reads webhooks, each a line of JSON, and prints what it found. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export async function readByProgram<Result>(
  command: string,
  args: readonly string[],
  webhooks: Iterable<object>,
  env: Record<string, string> = {},
): Promise<Result[]> {
  const child = spawn(command, args, {
    stdio: 'pipe',
    env: { ...process.env, ...env },
  });
  const [output, faults] = [text(child.stdout), text(child.stderr)];
  const ended = once(child, 'exit');
  for (const webhook of webhooks)
    if (!child.stdin.write(`${JSON.stringify(webhook)}\n`)) await once(child.stdin, 'drain');
  child.stdin.end();
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${await faults}`);
  const lines = (await output).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Result);
}
