/** The headers of a CloudEvent: their values, and how an address is written in a header. */
import { expect, test } from 'vitest';

import { formatHeaders } from '../../../services/core/webhook/cloud-event.ts';

const of = (address: string) =>
  formatHeaders({
    format: 'cloudevents',
    eventId: 'evt_1',
    address,
    receivedAt: new Date('2026-11-21T08:00:01.973Z'),
  });

test('D48: the attributes of an email', () => {
  expect(of('orders@in.example.com')).toEqual({
    'ce-specversion': '1.0',
    'ce-id': 'evt_1',
    'ce-source': 'mailto:orders@in.example.com',
    'ce-type': 'email.inlet.received.v1',
    'ce-time': '2026-11-21T08:00:01Z',
    'ce-subject': 'orders@in.example.com',
  });
});

test('spaces, quotes, percent signs and what is not ASCII are percent-encoded', () => {
  // HTTP binding of CloudEvents 1.0.2, §3.1.3.2: “Euro € 😀”
  for (const [address, subject, source] of [
    ['a"b c@x.example', 'a%22b%20c@x.example', 'mailto:a%2522b%2520c@x.example'],
    ['50%@x.example', '50%25@x.example', 'mailto:50%2525@x.example'],
    [
      '€😀@x.example',
      '%E2%82%AC%F0%9F%98%80@x.example',
      'mailto:%25E2%2582%25AC%25F0%259F%2598%2580@x.example',
    ],
    ['*@*.x.example', '*@*.x.example', 'mailto:*@*.x.example'],
  ] as const)
    expect(of(address)).toMatchObject({ 'ce-subject': subject, 'ce-source': source });
});

test('another format adds no headers', () => {
  const facts = { eventId: 'evt_1', address: 'a@x.example', receivedAt: new Date() };
  expect([formatHeaders(facts), formatHeaders({ ...facts, format: 'inlet' })]).toEqual([{}, {}]);
});
