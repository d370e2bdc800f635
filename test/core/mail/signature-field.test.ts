/** Which fields name a key, and which never can (RFC 6376 §3.2, §3.5). */
import { describe, expect, test } from 'vitest';

import { readSignature, SIGNATURE_FAULTS } from '../../../services/core/mail/signature-field.ts';

const { malformed, repeated, domain, selector, identity, tooLong } = SIGNATURE_FAULTS;
const field = (tags: string, name = 'DKIM-Signature') => `${name}: v=1; a=rsa-sha256; ${tags}`;

describe('names of keys', () => {
  test.each([
    ['d=Bank.Test; s=s1', { domain: 'Bank.Test', selector: 's1' }],
    ['d =\r\n\tbank.test\r\n ;s\t= s1.a_b ;', { domain: 'bank.test', selector: 's1.a_b' }],
    ['d=bank.test; s=s1;; z=From:a=20b|To:c; n="x(\\', { domain: 'bank.test', selector: 's1' }],
    ['d=bücher.test; s=s1; n=grüße', { domain: 'bücher.test', selector: 's1' }],
    ['d=bank.test; s=s1; l=0; t=1; x= 20\r\n ', { domain: 'bank.test', selector: 's1' }],
    ['d=bank.test; s=s1; i=@bank.test', { domain: 'bank.test', selector: 's1' }],
    ['d=bank.test; s=s1; i="a@b"=40Mail.\r\n Bank.test', { domain: 'bank.test', selector: 's1' }],
    ['d=bücher.test; s=s1; i=@a.xn--bcher-kva.test', { domain: 'bücher.test', selector: 's1' }],
    ['d=bücher.test; s=s1; i=@b=C3=BCcher.test', { domain: 'bücher.test', selector: 's1' }],
  ])('%j', (tags, read) => {
    expect(readSignature(field(tags))).toMatchObject(read);
  });

  test('are in lower case, with A-labels', () => {
    expect(readSignature(field('d=BÜCHER.test; s=S1'))).toMatchObject({
      keyName: 's1._domainkey.xn--bcher-kva.test',
    });
  });

  test('i= of ARC is a number, and its fields may be folded before the colon', () => {
    for (const name of ['ARC-Seal', 'ARC-Message-Signature\r\n '])
      expect(readSignature(field('i=1; d=bank.test; s=s1', name))).toMatchObject({
        keyName: 's1._domainkey.bank.test',
      });
  });
});

/** Texts around or within a name by which a reader could come to another name. */
const HOSTILE = [
  ['\\', '\\.', '\\046', '\\000', '%00', '%2e', '"', ' ', '\t', '\r\n ', '\u00a0x', '\u200b'],
  ['\u00ad', '。', '．', '..', '@', ':', '(x)', '\ufffd', '/', '+', '='],
].flat();

describe('faults', () => {
  test.each(HOSTILE)('%j in a name', (hostile) => {
    const name = `evil.test${hostile}x.bank.test`;
    expect(readSignature(field(`d=${name}; s=s1`))).toBe(domain);
    expect(readSignature(field(`d=bank.test; s=${name}`))).toBe(selector);
    expect(readSignature(field(`d=bank.test; s=s1; i=@${name}`))).toSatisfy(
      (read) => read === identity || ['@', ' ', '\t', '\r\n '].includes(hostile),
    ); // a fold in i= has no meaning, and the last @ counts
  });

  test.each<[string, string]>([
    ['d=bank.test; s=s1; d=bank.test', repeated],
    ['d=evil.test; s=s1; D=bank.test', repeated],
    ['d=bank.test; s=s1; n=a; n=b', repeated],
    ['D=bank.test; s=s1', domain],
    ['d=bank.test; S=s1', selector],
    ['s=s1', domain],
    ['d=; s=s1', domain],
    ['d=bank.test; s=', selector],
    ['d=bank.test.; s=s1', domain],
    ['d=.bank.test; s=s1', domain],
    ['d=bank.test; s=.s1', selector],
    [`d=bank.test; s=${'x'.repeat(64)}`, selector],
    [`d=${'a.'.repeat(120)}test; s=s1.s2`, tooLong],
    ['d=bank.test; s=s1; i=@evil.test', identity],
    ['d=bank.test; s=s1; i=bank.test', identity],
    ['d=bank.test; s=s1; i=', identity],
    ['d=bank.test; s=s1; i=@xbank.test', identity],
    ['d=bank.test; s=s1; i=@bank.test=00', identity],
    ['d=bank.test; s=s1; i=@', identity],
    ['d=bank.test; s=s1; bank', malformed],
    ['d=bank.test; s=s1; =x', malformed],
    ['d=bank.test; s=s1; l=5abc', malformed],
    ['d=bank.test; s=s1; l=-1', malformed],
    ['d=bank.test; s=s1; l=', malformed],
    ['d=bank.test; s=s1; t=0x5', malformed],
    ['d=bank.test; s=s1; x=1e3', malformed],
    ['d=evil.test; s=s1; \u00a0d=bank.test', malformed],
    ['d=evil.test; s=s1; \ufeffd=bank.test', malformed],
    ['d=evil.test; s=s1; d d=bank.test', malformed],
    ['d=evil.test; s=s1; n=\0', malformed],
    ['d=evil.test\0.bank.test; s=s1', malformed],
    ['d=bank.test; s=s1\x7f', malformed],
    ['d=bank.test; s=s1; n=\x0b', malformed],
  ])('%j', (tags, fault) => {
    expect(readSignature(field(tags))).toBe(fault);
  });
});
