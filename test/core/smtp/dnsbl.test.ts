/**
 * Checklist 33: what counts as an entry of a DNS blocklist (RFC 5782), and the reply to a listed
 * sender.
 */
import { describe, expect, test } from 'vitest';

import {
  BlocklistList,
  canBeListed,
  isListing,
  refusalOfListed,
} from '../../../services/core/smtp/dnsbl.ts';
import { isRoleAddress } from '../../../services/core/mail/fields/email-address.ts';

test.each([
  ['127.0.0.2', true],
  ['127.0.1.255', true],
  ['127.255.255.252', false], // Spamhaus: a typing error in the zone
  ['127.255.255.254', false], // asked through a public resolver
  ['127.255.255.255', false], // asked too often
  ['127.255.254.2', true],
  ['192.0.2.1', false], // the zone was given up, or the resolver invents addresses
  ['::1', false],
  ['', false],
])('checklist 33: the answer %j is an entry: %s', (answer, isEntry) => {
  expect(isListing(answer)).toBe(isEntry);
});

test.each([
  ['8.8.8.8', true],
  ['::ffff:8.8.8.8', true],
  ['2a00:1450::1', true],
  ['9.9.9.9', false], // exempt below
  ['127.0.0.1', false],
  ['10.1.2.3', false],
  ['100.64.0.1', false],
  ['fd00::1', false],
  ['::1', false],
  ['', false],
])('checklist 33: %s is looked up: %s', (address, isAsked) => {
  expect(canBeListed(address, ['9.9.9.0/24'])).toBe(isAsked);
});

const LIST = { name: 'bl.example', zone: 'key.bl.example' };

test.each([
  ['no reason', undefined, 'Your IP address is listed by bl.example'],
  [
    'a reason',
    'https://bl.example/?ip=8.8.8.8',
    'Your IP address is listed by bl.example: https://bl.example/?ip=8.8.8.8',
  ],
  [
    'a reason that would break the reply',
    'a\r\n250 Ok\tß',
    'Your IP address is listed by bl.example: a 250 Ok',
  ],
  [
    'a long reason',
    'x'.repeat(5000),
    `Your IP address is listed by bl.example: ${'x'.repeat(250)}`,
  ],
])('checklist 33: %s', (_, reason, text) => {
  expect(refusalOfListed(LIST, reason)).toEqual({
    name: 'listed_in_blocklist',
    code: 550,
    enhanced: '5.7.1',
    text,
  });
});

describe('DNSBL_ZONES', () => {
  test.each([
    ['', []],
    ['zen.spamhaus.org', [{ name: 'zen.spamhaus.org', zone: 'zen.spamhaus.org' }]],
    [
      ' a.example, b.example=k3y.b.example ,',
      [
        { name: 'a.example', zone: 'a.example' },
        { name: 'b.example', zone: 'k3y.b.example' },
      ],
    ],
  ])('%j', (text, lists) => {
    expect(BlocklistList.parse(text)).toEqual(lists);
  });

  test.each([
    'localhost',
    'a b.example',
    'https://a.example',
    'a.example=',
    '=a.example',
    'a..example',
    '-a.example',
  ])('%j is refused', (text) => {
    expect(BlocklistList.safeParse(text).error?.issues[0]?.message).toContain('is not a zone');
  });
});

test.each([
  ['postmaster@in.example', true],
  ['Abuse@in.example', true],
  ['postmaster', true],
  ['postmasters@in.example', false],
  ['x@postmaster', false],
])('%s is a role address: %s', (address, isRole) => {
  expect(isRoleAddress(address)).toBe(isRole);
});
