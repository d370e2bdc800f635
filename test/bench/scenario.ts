/** What a scenario is: a file beside throughput.ts, entered in main.ts. It drives the bed as it likes and returns text and figures. */
import type { Bed } from './bed.ts';
import type { Options } from './options.ts';

export type Scenario = {
  name: string;
  /** One line. */
  purpose: string;
  run(
    bed: Bed,
    options: Options,
    report: (line: string) => void,
  ): Promise<{ text: string; figures: unknown }>;
};
