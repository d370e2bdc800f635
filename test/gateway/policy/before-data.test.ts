/** X.4: conditions before DATA, over real SMTP: the refused recipient gets its reply at RCPT. */
import { expect, test } from 'vitest';

import type { Rule } from '../../../services/core/rule/rule.ts';
import { senderListIndexes } from '../../../services/adapters/mongo/documents/owned-documents.ts';
import { ensureIndexes } from '../../../services/adapters/mongo/database/connection.ts';
import { dialogue } from '../../support/smtp-play.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { startRecordingGateway } from '../recording-gateway.ts';

const gateway = await useInFile(startRecordingGateway());
await ensureIndexes(gateway.pipeline.mongo.db, [senderListIndexes]);

const refuse = (when: string): Rule => ({ name: 'connection', when, action: 'refuse' });

async function rcpt(to: readonly string[]): Promise<string[]> {
  await using smtp = await dialogue(gateway.port);
  const replies: string[] = [];
  for (const line of ['EHLO mx.partner.example', 'MAIL FROM:<ann@partner.example>'])
    expect(await smtp.say(line)).toMatch(/^250/);
  for (const one of to) replies.push(await smtp.say(`RCPT TO:<${one}>`));
  return replies;
}

test('a network of a list, and email without TLS', async () => {
  const networks = await gateway.newAddress({
    rules: [refuse('envelope.remote_ip in lists.blocked')],
  });
  const plain = await gateway.newAddress({ rules: [refuse('tls.version == ""')] });
  const open = await gateway.newAddress({ rules: [refuse('tls.version == "1.0"')] });
  const addresses = [networks, plain, open].map(({ address }) => address);
  const now = new Date();
  await gateway.pipeline.mongo.db.collection<{ _id: string }>('sender_lists').insertOne({
    _id: 'lst_1',
    account_id: networks.account_id,
    name: 'blocked',
    entries: ['127.0.0.0/8'],
    place: 0,
    created_at: now,
    updated_at: now,
  } as { _id: string });
  const [first, second, third] = await rcpt(addresses);
  expect(first).toMatch(/^550 5\.7\.1 .*policy of the recipient/);
  expect(second).toMatch(/^550 5\.7\.1 /);
  expect(third).toMatch(/^250 /);
  const labels = { command: 'rcpt', reply: 'rule_refused' };
  expect(await gateway.count('inlet_mails_refused_total', labels)).toBe(2);
});
