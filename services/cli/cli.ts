/** What the commands share: the options of `inlet` itself, the API, and how results are printed. */
import type { Command } from 'commander';

import { type Api, createApi } from './api/client.ts';
import { type Connection, findConnection } from './api/connection.ts';
import { createFetch, type Fetch, readCaFile } from './api/fetch.ts';
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
  /** PEM file of private authorities: --ca-file or INLET_CA_FILE. */
  caFile: () => string | undefined;
  connect(): Promise<Connected>;
  /** Prints JSON with `--json`, else the text. */
  print<T>(data: T, text: (data: T) => string): void;
};

export type Connected = Connection & {
  api: Api;
  /** PEM of the private authorities that `request` trusts. */
  privateCa: readonly string[];
  request: Fetch;
};

type GlobalOptions = { json?: boolean; profile?: string; caFile?: string };

export function createCli(program: Command, terminal: Terminal, version: string): Cli {
  const options = () => program.opts<GlobalOptions>();
  const userAgent = `inlet-cli/${version}`;
  const wantsJson = () => options().json === true;
  const caFile = () => options().caFile ?? (terminal.env.INLET_CA_FILE || undefined);
  const hasColors = terminal.isInteractive && !terminal.env.NO_COLOR;
  return {
    program,
    terminal,
    version,
    userAgent,
    wantsJson,
    profileName: () => options().profile,
    paint: () => createPaint(hasColors && !wantsJson()),
    caFile,
    connect: async () => {
      const connection = await findConnection(terminal, options().profile);
      const file = caFile() ?? connection.caFile;
      const privateCa = file === undefined ? [] : [await readCaFile(file)];
      const connected = { ...connection, privateCa, request: createFetch(privateCa) };
      return { ...connected, api: createApi(connected, userAgent, terminal.stopped) };
    },
    print: (data, text) =>
      terminal.write(wantsJson() ? `${JSON.stringify(data, undefined, 2)}\n` : text(data)),
  };
}
