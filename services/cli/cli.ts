/** What the commands share: the options of `inlet` itself, the API, and how results are printed. */
import type { Command } from 'commander';

import { type Api, createApi } from './api/client.ts';
import { type Connection, findConnection } from './api/connection.ts';
import { createPaint, type Paint } from './screen/text.ts';
import type { Terminal } from './terminal.ts';

export type Cli = {
  program: Command;
  terminal: Terminal;
  version: string;
  userAgent: string;
  wantsJson: () => boolean;
  profileName: () => string | undefined;
  paint: () => Paint;
  connect(): Promise<Connection & { api: Api }>;
  /** Prints JSON with `--json`, else the text. */
  print<T>(data: T, text: (data: T) => string): void;
};

type GlobalOptions = { json?: boolean; profile?: string };

export function createCli(program: Command, terminal: Terminal, version: string): Cli {
  const options = () => program.opts<GlobalOptions>();
  const userAgent = `inlet-cli/${version}`;
  const wantsJson = () => options().json === true;
  const hasColors = terminal.isInteractive && !terminal.env.NO_COLOR;
  return {
    program,
    terminal,
    version,
    userAgent,
    wantsJson,
    profileName: () => options().profile,
    paint: () => createPaint(hasColors && !wantsJson()),
    connect: async () => {
      const connection = await findConnection(terminal, options().profile);
      return { ...connection, api: createApi(connection, userAgent, terminal.stopped) };
    },
    print: (data, text) =>
      terminal.write(wantsJson() ? `${JSON.stringify(data, undefined, 2)}\n` : text(data)),
  };
}
