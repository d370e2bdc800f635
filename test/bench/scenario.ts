/**
 * A scenario is a file in scenarios/, listed in main.ts. It runs against the bed and returns text
 * and figures.
 */
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
