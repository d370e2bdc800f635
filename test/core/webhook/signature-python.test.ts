/**
 * Both signatures against a second implementation, in Python's standard library (spec 5.2, D16,
 * D17).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

import {
  newSecret,
  signatureHeaders,
  signingKeys,
} from '../../../services/core/webhook/signature.ts';
import { fc, slowRuns } from '../../support/random.ts';

type Case = { headers: Record<string, string>; body: string; secret: string };

async function heldInPython(cases: Case[]): Promise<unknown[]> {
  const python = spawn('python3', [join(import.meta.dirname, '../../fixtures/verify_webhook.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  python.stdin.end(cases.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const [answers] = await Promise.all([text(python.stdout), once(python, 'exit')]);
  return answers
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

const key = fc.uint8Array({ minLength: 32, maxLength: 32 });
const sample = fc.record({
  secrets: fc.array(key, { minLength: 1, maxLength: 3 }),
  stranger: key,
  body: fc.uint8Array({ maxLength: 500 }),
});
/** One Python process verifies so many. */
const samples = fc.array(sample, { minLength: 1, maxLength: 100, size: 'max' });

test('for every body, each of its secrets verifies the signature, and no other does', async () => {
  await fc.assert(
    fc.asyncProperty(samples, async (made) => {
      const cases = made.flatMap(({ secrets, stranger, body }) => {
        const texts = secrets.map(newSecret);
        const headers = signatureHeaders({
          eventId: 'evt_1',
          body,
          keys: texts.map(signingKeys),
          now: new Date(),
        });
        return [...texts, newSecret(stranger)].map((secret): Case => ({
          headers,
          body: Buffer.from(body).toString('hex'),
          secret,
        }));
      });
      const expected = made.flatMap(({ secrets, stranger }) => [
        ...secrets.map(() => [true, true]),
        secrets.some((one) => Buffer.compare(one, stranger) === 0) ? [true, true] : [false, false],
      ]);
      expect(await heldInPython(cases)).toEqual(expected);
    }),
    slowRuns(5),
  );
});
