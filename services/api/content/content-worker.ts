/** The file that the content thread of the API runs. */
import { serveJobs } from '../../adapters/threads/serve-jobs.ts';
import {
  attachment,
  codesForModel,
  page,
  testExpression,
  testRules,
  textForModel,
  view,
} from './content-jobs.ts';

serveJobs({ attachment, codesForModel, page, testExpression, testRules, textForModel, view });
