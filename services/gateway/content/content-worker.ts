/** The file that a content thread runs. */
import { serveJobs } from '../../adapters/process/serve-jobs.ts';
import { prepare, receive } from './content-jobs.ts';

serveJobs({ prepare, receive });
