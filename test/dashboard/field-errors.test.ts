/** Errors of forms are for people: they do not repeat the names of the API. */
import { expect, test } from 'vitest';

import { messageFor } from '../../services/dashboard/strings/field-errors.ts';

test.each([
  ['webhook_url', 'webhook_url must be an https URL', 'not_https', /https:\/\/.*inlet listen/],
  ['url', 'url must be publicly reachable', 'not_public', /inlet listen/],
  ['domain', 'domain has a value that is not allowed', 'invalid_value', /in\.example\.com/],
  ['redact', 'settings.redact has a value that is not allowed', 'invalid_value', /^This value/],
  ['name', 'name is too long', 'too_long', /^This is too long\.$/],
  ['types', 'types is too small', 'too_small', /^Choose at least one event/],
  ['hook', 'hook conflicts with another field', 'conflict', /^This conflicts/],
  ['domain', 'The domain is already added', 'conflict', /^The domain is already added$/],
])('%s: %s', (field, message, code, shown) => {
  expect(messageFor(field, { message, code })).toMatch(shown);
});
