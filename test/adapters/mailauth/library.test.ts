/**
 * Functions of mailauth that are not public exist and do what library.ts says: an upgrade that
 * changes them fails here.
 */
import { Readable } from 'node:stream';

import { expect, test } from 'vitest';

import {
  authorDomainOf,
  authorsOf,
  dkimVerify,
  evaluateDmarc,
  findKey,
  formatDomain,
  keyFaultWords,
} from '../../../services/adapters/mailauth/library.ts';

const HASH = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; // of an empty relaxed body
const signature = (tags: string) =>
  `DKIM-Signature: v=1; a=rsa-sha256; h=from; bh=${HASH}; b=AA==; ${tags}\r\n`;

test('a signature with a fault is reported with our reason, and no key is looked up', async () => {
  const requested: string[] = [];
  const resolver = async (name: string) => {
    requested.push(name);
    return [['v=DKIM1; p=']];
  };
  const email =
    signature('d=a.example; s=s1; c=relaxed/relaxed') +
    signature('d=a.example; s=s1; D=b.example') +
    signature('s=s1') +
    signature('d=a.example; s=a b; c=none/none') +
    'From: ann@a.example\r\n\r\n';
  const { results } = await dkimVerify(Readable.from([Buffer.from(email)]), {
    sender: '<>',
    resolver,
    rejectRsaSha1: true,
  });
  expect(results.map(({ status }) => status.comment)).toEqual([
    'invalid public key',
    'a tag is repeated',
    'd= is not a DNS name',
    's= is not a DNS name',
  ]);
  expect(requested).toEqual(['s1._domainkey.a.example']);
});

test('what each signature names, also where two have the same b, or one is left out', async () => {
  const email =
    signature('d=a.example; s=s1').replace('h=from', 'h=From: To:\r\n subject') +
    signature('d=a.example; s=s1').replace('rsa-sha256', 'rsa-other') +
    signature('d=a.example; s=s1') +
    signature('d=a.example; s=s1').replace('h=from; ', '') +
    'From: ann@a.example\r\n\r\n';
  const { results } = await dkimVerify(Readable.from([Buffer.from(email)]), {
    sender: '<>',
    resolver: async () => [['v=DKIM1; p=']],
    rejectRsaSha1: true,
  });
  expect(results.map(({ names }) => names?.map((name) => name.trim()))).toEqual([
    ['From', 'To', 'subject'],
    ['from'],
    undefined,
  ]);
});

test('the one domain of authors', () => {
  expect(authorDomainOf(['a@X.example.', '"b@c"@x.example'])).toBe('x.example');
  expect(authorDomainOf(['a@x.example', 'b@y.example'])).toBeUndefined();
  expect(authorDomainOf([])).toBeUndefined();
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
