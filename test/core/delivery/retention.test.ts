/** Which retention applies to a content, until when it is offered, and what is redacted (D44). */
import { describe, expect, test } from 'vitest';

import {
  contradictsAfter,
  redactedFields,
  retentionContradicts,
  retentionOf,
} from '../../../services/core/address/content-settings.ts';
import {
  contentIsOffered,
  contentUntil,
  redacted,
  removableBefore,
} from '../../../services/core/delivery/retention.ts';
import type { DeliveryState } from '../../../services/core/delivery/delivery.ts';
import { resume } from '../../../services/core/delivery/resume.ts';

const NOW = new Date('2026-11-22T12:00:00Z');
const later = (ms: number) => new Date(NOW.getTime() + ms);
const LINKED = { attachments: 'url' };

describe('the retention of an address', () => {
  test.each<[string, Parameters<typeof retentionOf>, number | undefined]>([
    ['nobody limits it', [{}, {}], undefined],
    ['an earlier release stored neither', [{}, undefined], undefined],
    ['null leaves it to the account', [{ retention_hours: null }, { retention_hours: 24 }], 24],
    ['the address overrides the account', [{ retention_hours: 48 }, { retention_hours: 0 }], 48],
    ['0 is a value', [{ retention_hours: 0 }, { retention_hours: 24 }], 0],
    ['links inherit at least one hour', [{ payload: LINKED }, { retention_hours: 0 }], 1],
    ['and so do raw links', [{ payload: { raw: true } }, { retention_hours: 0 }], 1],
    ['links change no longer one', [{ payload: LINKED }, { retention_hours: 5 }], 5],
    ['links alone limit nothing', [{ payload: LINKED }, {}], undefined],
  ])('%s', (_, of, hours) => {
    expect(retentionOf(...of)).toBe(hours);
  });

  test('0 hours contradict links in the payload', () => {
    expect(retentionContradicts(0, LINKED)).toBe(true);
    expect(retentionContradicts(0, { raw: true })).toBe(true);
    expect(retentionContradicts(1, LINKED)).toBe(false);
    expect(retentionContradicts(0, { attachments: 'inline', raw: false })).toBe(false);
    expect(retentionContradicts(null, LINKED)).toBe(false);
  });

  test('a change contradicts what the address keeps, or what it changes as well', () => {
    expect(contradictsAfter({ payload: LINKED }, { retention_hours: 0 })).toBe(true);
    expect(contradictsAfter({ retention_hours: 0 }, { payload: { raw: true } })).toBe(true);
    const both = { retention_hours: 0, payload: { attachments: 'inline' } };
    expect(contradictsAfter({ payload: LINKED }, both)).toBe(false);
    expect(contradictsAfter({ retention_hours: 0 }, { retention_hours: null })).toBe(false);
  });
});

describe('when content is offered and removable', () => {
  test('it counts from the delivery', () => {
    expect(contentUntil(NOW, 2)).toEqual(later(2 * 3_600_000));
    expect(contentUntil(NOW, 0)).toEqual(NOW);
    expect(contentUntil(NOW, undefined)).toBeUndefined();
  });

  test.each<[string, Parameters<typeof contentIsOffered>[0], boolean]>([
    ['without a limit', {}, true],
    ['before its end', { content_until: later(1) }, true],
    ['at its end', { content_until: NOW }, false],
    ['after an erasure, whatever its end', { content_erased_at: NOW }, false],
    ['after an erasure before its end', { content_erased_at: NOW, content_until: later(1) }, false],
  ])('%s', (_, state, isOffered) => {
    expect(contentIsOffered(state, NOW)).toBe(isOffered);
  });

  test('it is removable only when a replay that was accepted in time has reset the record', () => {
    expect(removableBefore(NOW)).toEqual(later(-60_000));
  });
});

test('a dispatcher discards every copy of an erased email, whatever else its record says', () => {
  const state: DeliveryState = {
    status: 'failed',
    attempts: 1,
    attempts_before_replay: 0,
    next_attempt_at: null,
    revision: 3,
    content_erased_at: NOW,
  };
  expect(resume(state, NOW, 0)).toEqual({ kind: 'discard' });
  expect(resume({ ...state, status: 'delivered' }, NOW, 3)).toEqual({ kind: 'discard' });
});

describe('redaction', () => {
  const facts = { mail_from: 'ann@s.example', from: 'Ann <ann@s.example>', subject: 'Hi', n: 1 };

  test.each<[string, Parameters<typeof redactedFields>, readonly string[]]>([
    ['by default nothing', [{}, undefined], []],
    ['null leaves it to the account', [{ redact: null }, { redact: ['from'] }], ['from']],
    ['an empty list overrides the account', [{ redact: [] }, { redact: ['from'] }], []],
    ['so does another list', [{ redact: ['subject'] }, { redact: ['from'] }], ['subject']],
  ])('%s', (_, of, fields) => {
    expect(redactedFields(...of)).toEqual(fields);
  });

  test('from includes the envelope sender; other facts stay', () => {
    expect(redacted(facts, ['from'])).toEqual({ ...facts, mail_from: '', from: null });
    expect(redacted(facts, ['subject'])).toEqual({ ...facts, subject: null });
    expect(redacted(facts, ['subject', 'from'])).toEqual({
      mail_from: '',
      from: null,
      subject: null,
      n: 1,
    });
    expect(redacted(facts)).toBe(facts);
  });
});
