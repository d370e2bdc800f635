/** The headers that Inlet adds above an email, and the count of its hops (checklist 20, 21, 22). */
import { expect, test } from 'vitest';

import {
  countReceived,
  type Hop,
  receivedHeaders,
} from '../../../services/core/mail/received-headers.ts';

const hop: Hop = {
  mailFrom: 'ann@sender.example',
  helo: 'mx.sender.example',
  protocol: 'ESMTP',
  remoteIp: '203.0.113.7',
  by: 'mx.in.example',
  id: 'abc.1',
  isUtf8: false,
  tls: undefined,
  recipients: ['box@in.example'],
  receivedAt: new Date('2026-11-02T10:00:00Z'),
};

test('checklist 20, 21: Return-Path and Received, folded', () => {
  expect(receivedHeaders(hop).split('\r\n')).toEqual([
    'Return-Path: <ann@sender.example>',
    'Received: from mx.sender.example ([203.0.113.7])',
    '\tby mx.in.example with ESMTP id abc.1',
    '\tfor <box@in.example>;',
    '\tMon, 02 Nov 2026 10:00:00 +0000',
    '',
  ]);
});

test('checklist 20: over TLS, from IPv6, for several', () => {
  const text = receivedHeaders({
    ...hop,
    remoteIp: '2001:db8::7',
    tls: { version: 'TLSv1.3', cipher: 'TLS_AES_128_GCM_SHA256' },
    recipients: ['a@in.example', 'b@in.example'],
  });
  expect(text).toContain(
    'Received: from mx.sender.example ([IPv6:2001:db8::7]) (TLSv1.3)\r\n' +
      '\tby mx.in.example with ESMTPS id abc.1 tls TLS_AES_128_GCM_SHA256;\r\n\tMon',
  );
});

test.each([
  ['SMTP', false, undefined, 'SMTP'],
  ['ESMTP', false, undefined, 'ESMTP'],
  ['ESMTP', true, undefined, 'UTF8SMTP'],
  ['ESMTP', true, { version: 'v', cipher: 'c' }, 'UTF8SMTPS'],
  ['LMTP', false, undefined, 'LMTP'],
  ['LMTP', false, { version: 'v', cipher: 'c' }, 'LMTPS'],
  ['LMTP', true, undefined, 'UTF8LMTP'],
] as const)('%s, SMTPUTF8 %s, TLS %j: with %s', (protocol, isUtf8, tls, name) => {
  expect(receivedHeaders({ ...hop, protocol, isUtf8, tls })).toContain(` with ${name} id `);
});

test.each([
  ['mx.sender.example', 'mx.sender.example'],
  ['[192.0.2.1]', '[192.0.2.1]'],
  ['[ipv6:2001:db8::1]', '[ipv6:2001:db8::1]'],
  ['a\r\nX: y', 'unknown'],
  ['(x', 'unknown'],
  ['', 'unknown'],
  ['bücher.example', 'bücher.example'],
])('a client with the name %j is shown as %s', (helo, name) => {
  expect(receivedHeaders({ ...hop, helo })).toContain(`Received: from ${name} (`);
});

test.each<[string, number]>([
  ['', 0],
  ['Received: a\r\n\r\n', 1],
  ['RECEIVED: a\r\nreceived: b\r\n\r\nReceived: c\r\n', 2],
  ['Subject: Received: x\r\nX-Received: y\r\n\r\n', 0],
  ['Received: a\nReceived: b\n\nReceived: c', 2],
  ['Received: a\r\n Received: folded\r\n\r\n', 1],
])('checklist 22: %j has %d Received headers', (mail, count) => {
  expect(countReceived(Buffer.from(mail))).toBe(count);
});
