/** Yardstick (a): smtp-server and simpleParser as they come; the parsed mail is thrown away. The floor of what these two libraries cost. */
import { simpleParser } from 'mailparser';

import { serveYardstick } from './serve.ts';

serveYardstick(async (stream) => void (await simpleParser(stream)));
