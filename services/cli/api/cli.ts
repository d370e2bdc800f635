/** What the commands share: the options of `inlet` itself, the API, and how results are printed. */
import type { Command } from 'commander';

import type { Call } from '../../core/api/calls.ts';
import { type Api, createApi } from './client.ts';
import { type Connection, findConnection } from './connection.ts';
import { createFetch, type Fetch, readCaFile } from './fetch.ts';
import { ExitCode, Failure } from '../terminal/failure.ts';
import { createPaint, fields, jsonFor, type Paint } from '../terminal/text.ts';
import type { Terminal } from '../terminal/terminal.ts';

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
  /** Prints a text that is JSON. */
  printJson: (json: string) => void;
  /** Prints JSON with `--json`, else the text. */
  print<T>(data: T, text: (data: T) => string): void;
  /**
   * An action that makes one call and prints the response.
   * @param text default: its fields
   * @param isCheck it asks something: exits with 1 when the answer is no
   */
  printing<Args extends unknown[], T extends Record<string, unknown>>(
    make: (call: Call, ...args: Args) => Promise<T>,
    text?: (data: T) => string,
    isCheck?: boolean,
  ): (...args: Args) => Promise<void>;
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
  const printJson = (json: string) => terminal.write(jsonFor(terminal, json));
  const hasColors = terminal.isInteractive && !terminal.env.NO_COLOR;
  const connect = async (): Promise<Connected> => {
    const connection = await findConnection(terminal, options().profile);
    const file = caFile() ?? connection.caFile;
    const privateCa = file === undefined ? [] : [await readCaFile(file)];
    const connected = { ...connection, privateCa, request: createFetch(privateCa) };
    return { ...connected, api: createApi(connected, userAgent, terminal.stopped) };
  };
  const print: Cli['print'] = (data, text) =>
    wantsJson() ? printJson(`${JSON.stringify(data, undefined, 2)}\n`) : terminal.write(text(data));
  return {
    program,
    terminal,
    version,
    userAgent,
    wantsJson,
    profileName: () => options().profile,
    paint: () => createPaint(hasColors && !wantsJson()),
    caFile,
    connect,
    printJson,
    print,
    printing:
      (make, text = fields, isCheck = false) =>
      async (...args) => {
        const { api } = await connect();
        const response = await make(api.call, ...args);
        print(response, text);
        if (isCheck) demandYes(response);
      },
  };
}

type Answer = {
  outcome?: unknown;
  ok?: unknown;
  problem?: unknown;
  rules?: readonly { result: string }[];
};

/**
 * A receiver accepted, a bucket works, DNS has the records, each rule could be evaluated. Otherwise a
 * script must not go on. @throws Failure
 */
export function demandYes({ outcome = 'accepted', ok = true, problem = null, rules = [] }: Answer) {
  const areEvaluated = rules.every(({ result }) => result !== 'failed');
  if (outcome !== 'accepted' || ok !== true || problem !== null || !areEvaluated)
    throw new Failure('', ExitCode.failed);
}
