/** `npm run baseline`: what this checkout promises becomes the baseline, at a release. */
import { VERSION } from '../../services/core/version.ts';
import { writeBaseline } from './baseline.ts';
import { currentContract } from './current.ts';

await writeBaseline({ version: VERSION, contract: await currentContract() });
process.stdout.write(`The baseline is ${VERSION}.\n`);
