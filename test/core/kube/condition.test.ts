/** Conditions: the time changes with the status, and setting one does not affect others. */
import { expect, test } from 'vitest';

import { notReady, ready, withVerdicts } from '../../../services/core/kube/condition.ts';

const NOW = new Date('2026-11-21T08:00:00Z');
const LATER = new Date('2026-11-21T09:00:00Z');

test('a new condition has the current time', () => {
  expect(withVerdicts([], { Ready: ready('Ready', 'fine') }, 3, NOW)).toEqual([
    {
      type: 'Ready',
      status: 'True',
      reason: 'Ready',
      message: 'fine',
      lastTransitionTime: '2026-11-21T08:00:00Z',
      observedGeneration: 3,
    },
  ]);
});

test('the time of a condition changes only with its status', () => {
  const first = withVerdicts([], { Ready: notReady('AccountNotReady', 'wait') }, 1, NOW);
  const second = withVerdicts(first, { Ready: notReady('InvalidWebhookUrl', 'no') }, 2, LATER);
  expect(second).toMatchObject([
    {
      reason: 'InvalidWebhookUrl',
      lastTransitionTime: '2026-11-21T08:00:00Z',
      observedGeneration: 2,
    },
  ]);
  expect(withVerdicts(second, { Ready: ready('Ready', 'fine') }, 2, LATER)).toMatchObject([
    { status: 'True', lastTransitionTime: '2026-11-21T09:00:00Z' },
  ]);
});

test('other conditions are unchanged', () => {
  const both = withVerdicts(
    [],
    { Verified: ready('Proved', 'yes'), Ready: ready('Ready', 'fine') },
    1,
    NOW,
  );
  expect(
    withVerdicts(both, { Ready: notReady('InUse', 'later') }, 1, LATER).map(({ type, status }) => [
      type,
      status,
    ]),
  ).toEqual([
    ['Verified', 'True'],
    ['Ready', 'False'],
  ]);
});
