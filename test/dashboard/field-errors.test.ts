/** Errors of forms are for people: they do not repeat the names of the API, and stand at their field. */
import { expect, test } from 'vitest';

import { fieldAt } from '../../services/dashboard/parts/forms/field-path.ts';
import { messageFor } from '../../services/dashboard/strings/field-errors.ts';

test.each([
  [
    'webhook_url',
    'webhook_url must be an https URL',
    'not_https',
    /^Use.*https:\/\/.*inlet listen/,
  ],
  ['url', 'url must be publicly reachable', 'not_public', /inlet listen/],
  ['tokenUrl', 'auth.oauth2.token_url must be an https URL', 'not_https', /^Use a URL/],
  ['domain', 'domain has a value that is not allowed', 'invalid_value', /in\.example\.com/],
  ['redact', 'settings.redact has a value that is not allowed', 'invalid_value', /^This value/],
  [
    'name',
    'name must have at most 63 characters',
    'too_long',
    /^This must have at most 63 characters\.$/,
  ],
  ['name', 'name is too long', 'too_long', /^This is too long\.$/],
  ['types', 'types must have at least 1 item', 'too_small', /^Choose at least one event/],
  ['hook', 'hook conflicts with another field', 'conflict', /^This conflicts/],
  ['domain', 'The domain is already added', 'conflict', /^The domain is already added$/],
  ['labels', 'labels.team is too long', 'too_long', /^team: This is too long\.$/],
  ['senders', 'allowed_senders.senders.0 is too long', 'too_long', /^Entry 1: This is too long\.$/],
  ['storage', 'payload.storage.bucket is required', 'required', /^bucket: Fill this in\.$/],
])('%s: %s', (field, message, code, shown) => {
  const path = field === 'tokenUrl' ? { tokenUrl: 'oauth2.token_url' } : {};
  const [at = ''] = message.startsWith('The ') ? [field] : message.split(' ');
  const found = fieldAt(at, { [field]: '', other: '' }, path);
  expect(found?.field).toBe(field);
  expect(found && messageFor(found, { message, code })).toMatch(shown);
});

test.each([
  ['name', { names: '' }, undefined],
  ['rules.0.when', { name: '' }, undefined],
  ['auth.headers.X-Key', { authKind: '', headerName: '' }, 'headerName'],
  ['auth', { authKind: '', headerName: '' }, 'authKind'],
  ['auth.basic.username', { authKind: '', username: '' }, 'username'],
])('%s of %j is at %s', (at, values, field) => {
  const paths = { authKind: 'auth', headerName: 'auth.headers', username: 'basic.username' };
  expect(fieldAt(at, values, paths)?.field).toBe(field);
});
