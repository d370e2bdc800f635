/** A slow client of the API. */
import { connect } from 'node:net';
import { expect, test } from 'vitest';

import { startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

const api = await useInFile(startTestApi());

test('a client that never ends its headers gets 408 and is disconnected', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  let heard = '';
  const socket = connect(api.port, '127.0.0.1', () =>
    socket.write('GET /v1/addresses HTTP/1.1\r\nHost: x\r\n'),
  );
  const drip = setInterval(() => socket.write('X-Slow: 1\r\n'), 1_000);
  socket
    .setEncoding('utf8')
    .on('data', (part: string) => (heard += part))
    .on('close', () => resolve(heard))
    .on('error', () => undefined);
  const answer = await promise;
  clearInterval(drip);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: 'request_timeout' });
});
