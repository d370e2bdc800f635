/** J2: the hook of a resource becomes that of a record, or is refused with a reason. */
import { expect, test } from 'vitest';

import { hookOf } from '../../../services/core/kube/wanted-webhook.ts';

const URL = 'https://example.com/decide';

test('names and defaults of a record', () => {
  expect(hookOf(undefined, [])).toEqual({ hook: null });
  expect(hookOf({ url: URL, when: 'is_list', timeoutMs: 300, onError: 'defer' }, [])).toEqual({
    hook: { url: URL, when: 'is_list', timeout_ms: 300, on_error: 'defer' },
  });
  expect(hookOf({ url: URL }, [])).toEqual({
    hook: { url: URL, when: null, timeout_ms: 5_000, on_error: 'accept' },
  });
});

test.each<[object, RegExp]>([
  [{ url: 'https://10.0.0.1/' }, /hook\.url must be publicly reachable/],
  [{ url: URL, when: 'subject =' }, /hook\.when: /],
  [{ url: URL, timeoutMs: 20_000 }, /^hook\.timeout_ms must be at most 10000$/],
])('%j', (spec, message) => {
  expect(hookOf(spec as { url: string }, [])).toMatchObject({
    fault: { reason: 'InvalidHook', message: expect.stringMatching(message) as string },
  });
});
