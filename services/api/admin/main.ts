/** `npm run admin -- …`: what those who run the platform may do. */
import { runAdmin } from './admin.ts';

process.exitCode = await runAdmin(process.argv.slice(2), process.env, {
  print: (line) => process.stdout.write(`${line}\n`),
  complain: (line) => process.stderr.write(`${line}\n`),
});
