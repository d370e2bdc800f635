/** The API form of an address, and its lifetime (spec 2.1, D6, D7). */
import { expect, test } from 'vitest';

import { type Address, goneSince, isExpired } from '../../../services/core/address/address.ts';
import { expiryOf, ttlContradicts } from '../../../services/core/address/lifetime.ts';
import {
  addressListItem,
  AddressView,
  addressView,
} from '../../../services/core/address/address-view.ts';
import { DEFAULT_VIEW, newAddress } from '../../support/new-address.ts';

const NOW = new Date('2026-11-21T08:00:00.750Z');

const address = (fields: Partial<Address> = {}): Address =>
  newAddress('https://example.com/x', {
    id: 'addr_1',
    account_id: 'acc_1',
    address: 'a@in.example',
    webhook_secret: 'whsec_x',
    email_count: 3,
    created_at: NOW,
    ...fields,
  });

test.each([
  ['no lifetime given: permanent', {}, null],
  ['is_permanent: permanent', { is_permanent: true }, null],
  ['ttl_hours alone: that long', { ttl_hours: 2 }, '2026-11-21T10:00:00.750Z'],
  [
    'not permanent, ttl_hours: that long',
    { is_permanent: false, ttl_hours: 8760 },
    '2027-11-21T08:00:00.750Z',
  ],
  [
    "not permanent alone: the account's default",
    { is_permanent: false },
    '2026-11-22T08:00:00.750Z',
  ],
])('D6: %s', (_, requested, expected) => {
  expect(expiryOf(requested, 24, NOW)?.toISOString() ?? null).toBe(expected);
});

test.each([
  [{}, false],
  [{ is_permanent: true }, false],
  [{ ttl_hours: 1 }, false],
  [{ is_permanent: false, ttl_hours: 1 }, false],
  [{ is_permanent: true, ttl_hours: 1 }, true],
])('D6: %j contradicts itself: %s', (requested, expected) => {
  expect(ttlContradicts(requested)).toBe(expected);
});

test('spec 2.1: get shows every field, timestamps in whole seconds', () => {
  expect(AddressView.strict().parse(addressView(address(), true, NOW))).toEqual({
    ...DEFAULT_VIEW,
    id: 'addr_1',
    address: 'a@in.example',
    webhook_url: 'https://example.com/x',
    webhook_secret: 'whsec_x',
    email_count: 3,
    description: null,
    created_at: '2026-11-21T08:00:00Z',
    updated_at: '2026-11-21T08:00:00Z',
  });
});

test.each([
  ['before its end', 1, true],
  ['at its end', 0, false],
  ['after its end', -1, false],
])('D7: an address %s shows is_enabled %s', (_, millisecondsLeft, isEnabled) => {
  const expiring = address({
    is_permanent: false,
    expires_at: new Date(NOW.getTime() + millisecondsLeft),
  });
  expect(isExpired(expiring, NOW)).toBe(!isEnabled);
  expect(addressView(expiring, true, NOW).is_enabled).toBe(isEnabled);
  expect(addressListItem(expiring, NOW).is_enabled).toBe(isEnabled);
});

test('D7: thirty days after its expiry an address is deleted', () => {
  expect(goneSince(NOW).toISOString()).toBe('2026-10-22T08:00:00.750Z');
});
