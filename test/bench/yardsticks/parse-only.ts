/**
 * Yardstick (a): smtp-server and simpleParser with default options; the result is discarded. The
 * minimum cost of the two libraries.
 */
import { simpleParser } from 'mailparser';

import { serveYardstick } from './serve.ts';

serveYardstick(async (stream) => void (await simpleParser(stream)));
