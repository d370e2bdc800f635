/** Why a connection ended, and whether that is news (D296). */
import { expect, test } from 'vitest';

import {
  type ConnectionFacts,
  endOf,
  shownCommand,
} from '../../../services/core/smtp/connection-end.ts';

const closed: ConnectionFacts = {
  endedBy: undefined,
  isInHandshake: false,
  isInData: false,
  isInMail: false,
  hasSpoken: true,
  accepted: 0,
  refused: 0,
  errors: new Map(),
};
const counts = (...names: string[]) => ({ errors: new Map(names.map((name) => [name, 1])) });

test.each<[string, Partial<ConnectionFacts>, string, boolean]>([
  ['QUIT', { endedBy: 'quit' }, 'quit', false],
  ['QUIT after a bad command', { endedBy: 'quit', ...counts('unknown_command') }, 'quit', true],
  ['QUIT after a bad sequence', { endedBy: 'quit', ...counts('bad_sequence') }, 'quit', true],
  [
    'QUIT after a refused email, and DATA that was pipelined after it',
    { endedBy: 'quit', refused: 1, ...counts('bad_sequence') },
    'quit',
    false,
  ],
  ['a close without a word', { hasSpoken: false }, 'silent', false],
  ['a close after commands', {}, 'lost', true],
  ['a close after a refused email', { refused: 1 }, 'lost', true],
  ['a close after an accepted email', { accepted: 1 }, 'left', false],
  ['a close within the next email', { accepted: 1, isInMail: true }, 'lost', true],
  ['a close within DATA', { isInData: true, isInMail: true, accepted: 1 }, 'lost_in_data', true],
  ['a close within a handshake', { isInHandshake: true }, 'tls_failed', true],
  ['silence within a handshake', { isInHandshake: true, endedBy: 'timed_out' }, 'tls_failed', true],
  [
    'a stop within a handshake',
    { isInHandshake: true, endedBy: 'shutting_down' },
    'shutting_down',
    false,
  ],
  ['silence', { endedBy: 'timed_out' }, 'timed_out', true],
  ['silence after an email', { endedBy: 'timed_out', accepted: 1 }, 'timed_out', false],
  [
    'silence within the next',
    { endedBy: 'timed_out', accepted: 1, isInMail: true },
    'timed_out',
    true,
  ],
  ['a 421', { endedBy: 'too_many_errors', accepted: 1 }, 'too_many_errors', true],
  ['a full server', { endedBy: 'server_full' }, 'server_full', true],
])('%s', (_, facts, reason, isBad) => {
  expect(endOf({ ...closed, ...facts })).toEqual({ reason, isBad });
});

test('the log has the names of commands, never a word of an email that was sent as one', () => {
  expect(['MAIL', 'AUTH', 'DEAR', ''].map(shownCommand)).toEqual([
    'MAIL',
    'AUTH',
    'other',
    'other',
  ]);
});
