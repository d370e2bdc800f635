/**
 * The API matches its own OpenAPI document for generated requests. `npm run test:contract` runs
 * longer.
 */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';

import { startTestApi } from '../support/start-api.ts';
import { installSchemathesis, runSchemathesis } from './schemathesis.ts';

const EXAMPLES = process.env.CONTRACT_EXAMPLES ?? '5';

test('every answer to what schemathesis makes up is as documented', async ({ skip }) => {
  const missing = await installSchemathesis();
  skip(missing !== undefined, missing);
  await using api = await startTestApi({
    env: {
      WEBHOOK_TIMEOUT: '500ms',
      LINK_KEYS: randomBytes(32).toString('base64'),
      REPLY_KEYS: randomBytes(32).toString('base64'),
      PUBLIC_API_URL: 'https://api.example.com/v1',
    },
  });
  // schemathesis deletes the tokens that it finds, but for those of resources
  const managed_by = { kind: 'ApiToken', namespace: 'default', name: 'contract', uid: 'u1' };
  const { token } = await api.issue({ managed_by });
  const { isClean, report } = await runSchemathesis([
    `${api.url}/v1/openapi.json`,
    '--url',
    `${api.url}/v1`,
    '-H',
    `Authorization: Bearer ${token}`,
    // they wait for events: test/api/stream tests them
    '--exclude-path',
    '/stream',
    '--exclude-path',
    '/deliveries/wait',
    // most texts are no expression, and no list of email addresses
    '--exclude-operation-id',
    'testExpression',
    '--exclude-operation-id',
    'submitEmail',
    '--checks',
    'all',
    '--max-examples',
    EXAMPLES,
    '--continue-on-failure',
    '--seed',
    '1',
    '--no-color',
  ]);
  expect(isClean ? 'clean' : report).toBe('clean');
});
