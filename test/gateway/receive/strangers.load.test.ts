/**
 * Nobody waits for a stranger: a small email of another sender, for another account, gets its 250 soon
 * while strangers send the dearest content over all the connections that a source, or ten, may have.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { EXTRACTIONS } from '../../../services/core/extract/extraction-names.ts';
import { type Pipeline, startPipeline } from '../../support/pipeline.ts';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';
import { atMost } from '../../support/slowdown.ts';
import { smallEmailsBesideMs } from '../../support/strangers.ts';

/** On a free machine. First come, first served, it is 9 seconds and more. */
const WAIT_MAX_MS = 500;
const EMAILS = 10;

let pipeline: Pipeline;
let gateway: ServiceProcess;
const parts = new AsyncDisposableStack();
beforeAll(async () => {
  pipeline = parts.use(await startPipeline({ withDispatcher: false }));
  gateway = parts.use(await startServiceProcess('gateway', pipeline.settings));
});
afterAll(() => parts.disposeAsync());

test.each([
  { sources: 1, connections: 40 },
  { sources: 1, connections: 100 },
  { sources: 10, connections: 100 },
])(
  '$sources sources with $connections connections each',
  async (crowd) => {
    const attacked = await pipeline.address('/attacked', {
      account_id: 'acc_attacked',
      payload: { attachments: 'inline', raw: false, extract: [...EXTRACTIONS], storage: null },
    });
    const other = await pipeline.address('/other', { account_id: 'acc_other' });
    const startedMs = Date.now();
    const taken = await smallEmailsBesideMs(
      gateway.smtpPort,
      crowd,
      [attacked.address],
      other.address,
      EMAILS,
    );
    expect(Math.max(...taken)).toBeLessThanOrEqual(atMost(WAIT_MAX_MS, startedMs));
  },
  300_000,
);
