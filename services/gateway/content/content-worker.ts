/** The file that a content thread runs. */
import { serveJobs } from '../../adapters/threads/serve-jobs.ts';
import * as jobs from './content-jobs.ts';

serveJobs(jobs);
