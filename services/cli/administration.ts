/** `inlet admin` with all its commands, for programs that have the packages of the servers. */
import { addAdminCommand } from './admin/commands.ts';
import { addBenchCommand } from './bench/bench-command.ts';
import type { AddAdmin } from './program.ts';

export const addAdministration: AddAdmin = (program, terminal) => {
  const { admin, open } = addAdminCommand(program, terminal);
  addBenchCommand(admin, terminal, open);
};
