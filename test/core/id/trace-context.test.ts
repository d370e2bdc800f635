import { describe, expect, test } from 'vitest';

import {
  mailTrace,
  readTraceparent,
  traceparent,
} from '../../../services/core/id/trace-context.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN_ID = '00f067aa0ba902b7';

test('D42: the ids of an email are a function of its event id, and never change', () => {
  expect(mailTrace('evt_01k9x0v7n3m4q8r2s6t1w5y9za')).toEqual({
    traceId: 'db23580752039ebc4f5e4f885b2a77e1',
    acceptSpanId: '57115cf4b230465c',
    storeSpanId: 'ba03544165d8188d',
  });
});

test('the header has the four fields of W3C Trace Context', () => {
  expect(traceparent(TRACE_ID, SPAN_ID, true)).toBe(`00-${TRACE_ID}-${SPAN_ID}-01`);
  expect(traceparent(TRACE_ID, SPAN_ID, false)).toBe(`00-${TRACE_ID}-${SPAN_ID}-00`);
});

describe('a header of a client', () => {
  test.each([
    ['is read', `00-${TRACE_ID}-${SPAN_ID}-01`, true],
    ['that is not sampled is read', `00-${TRACE_ID}-${SPAN_ID}-00`, false],
    ['with other flags is read', `00-${TRACE_ID}-${SPAN_ID}-fe`, false],
    ['of a later version may have more fields', `cc-${TRACE_ID}-${SPAN_ID}-01-what`, true],
  ])('%s', (_, header, isSampled) => {
    expect(readTraceparent(header)).toEqual({ traceId: TRACE_ID, spanId: SPAN_ID, isSampled });
  });

  test.each([
    ['is absent', undefined],
    ['is empty', ''],
    ['has a fifth field', `00-${TRACE_ID}-${SPAN_ID}-01-what`],
    ['has the version ff', `ff-${TRACE_ID}-${SPAN_ID}-01`],
    ['has no trace id', `00-${'0'.repeat(32)}-${SPAN_ID}-01`],
    ['has no span id', `00-${TRACE_ID}-${'0'.repeat(16)}-01`],
    ['is in capitals', `00-${TRACE_ID.toUpperCase()}-${SPAN_ID}-01`],
    ['is too short', `00-${TRACE_ID}-${SPAN_ID}-1`],
    ['is followed by a line', `00-${TRACE_ID}-${SPAN_ID}-01\n`],
  ])('is ignored when it %s', (_, header) => {
    expect(readTraceparent(header)).toBeUndefined();
  });
});
