/**
 * Functions of mailauth that are not public exist and do what library.ts says: an upgrade that
 * changes them fails here.
 */
import { expect, test } from 'vitest';

import {
  authorsOf,
  evaluateDmarc,
  findKey,
  formatDomain,
  keyFaultWords,
  keyNameOf,
} from '../../../services/adapters/mailauth/library.ts';

test('the name of the key of a signature', () => {
  const field = 'DKIM-Signature: v=1; d=Example.com;\r\n s=s1; b=AA==\r\n';
  expect(keyNameOf(Buffer.from(field))).toBe('s1._domainkey.Example.com');
  expect(keyNameOf(Buffer.from('DKIM-Signature: v=1\r\n'))).toBeUndefined();
});

test('the fault of a key, with its record', async () => {
  const resolver = (async () => [['v=DKIM1; p=']]) as never;
  const fault = await findKey('s1._domainkey.example.com', 'sha256', resolver);
  expect(fault).toMatchObject({ code: 'EINVALIDVAL', rr: 'v=DKIM1;p=' });
  expect(['EINVALIDVAL', 'ENOTFOUND', 'ESHORTKEY', undefined].map(keyFaultWords)).toEqual([
    'invalid public key',
    'no key',
    undefined,
    undefined,
  ]);
});

test('the mailboxes of From fields', async () => {
  const fields = 'From: Ann <ann@a.example>, b@b.example\r\nfrom\r\n : c@c.example\r\n';
  expect(await authorsOf(Buffer.from(fields))).toEqual({
    headerFrom: ['ann@a.example', 'b@b.example', 'c@c.example'],
    fromFields: 2,
  });
  expect(await authorsOf(Buffer.alloc(0))).toEqual({ headerFrom: [], fromFields: 0 });
});

test('the form in which domains are compared', () => {
  expect(formatDomain('EXAMPLE.com')).toBe('example.com');
});

test('DMARC without a policy', async () => {
  const { response, reason } = await evaluateDmarc({
    headerFrom: [],
    fromFields: 0,
    spfDomains: [],
    dkimDomains: [],
    arcResult: { status: { result: 'none' }, i: 0 } as never,
    resolver: () => Promise.reject(Object.assign(new Error('none'), { code: 'ENOTFOUND' })),
  });
  expect([response, reason]).toEqual([false, 'no-author-domain']);
});
