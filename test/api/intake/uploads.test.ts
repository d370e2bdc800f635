/** Who has a slot for an upload, when some clients stall. */
import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';

import { createUploads, type Upload } from '../../../services/api/intake/uploads.ts';
import { INTAKES } from '../../../services/api/http/limits/slots.ts';

const STAYS = { onClose: () => undefined };

function setUp() {
  let nowMs = 0;
  const uploads = createUploads(() => nowMs);
  const begin = (holder: string) => {
    const body = new PassThrough();
    const upload = uploads.begin(holder, STAYS, body as unknown as IncomingMessage);
    return { body, upload, read: readAll(upload) };
  };
  return { begin, pass: (ms: number) => (nowMs += ms) };
}

async function readAll(upload: Upload): Promise<string> {
  using _ = upload;
  let text = '';
  for await (const chunk of upload.content) text += chunk.toString();
  return text;
}

const started = () => new Promise((resolve) => setImmediate(resolve));

test.each([
  ['of its own account', ['a'], 'a'],
  ['of four others', ['a', 'b', 'c', 'd'], 'e'],
])(
  'uploads %s that stall do not keep another one out, those that send stay',
  async (_, holders, own) => {
    const { begin, pass } = setUp();
    const perHolder = INTAKES.perHolder.slots;
    const all = holders.flatMap((holder) => Array.from({ length: perHolder }, () => begin(holder)));
    await started();
    expect(() => begin(own)).toThrow('Temporarily unavailable');
    const [stalled, ...others] = all;
    pass(1_000);
    for (const { body } of others) body.write('x'.repeat(100_000));
    await started();
    await started();
    pass(1_500);
    const late = begin(own);
    await expect(stalled?.read).rejects.toMatchObject({ kind: 'request_timeout' });
    expect(() => begin(own)).toThrow('Temporarily unavailable'); // nobody else is slow
    for (const { body } of [...others, late]) body.end();
    expect(await Promise.all(others.map(({ read }) => read))).toHaveLength(all.length - 1);
    expect(await late.read).toBe('');
  },
);

test('an upload that fails or ends gives its slot back', async () => {
  const { begin } = setUp();
  for (let i = 0; i < 3 * INTAKES.perHolder.slots; i++) {
    const { body, read } = begin('a');
    if (i % 2 === 0) body.end('x');
    else body.destroy(new Error('aborted'));
    expect(await read.catch(() => 'failed')).toBe(i % 2 === 0 ? 'x' : 'failed');
  }
});
