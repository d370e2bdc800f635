/** Receivers and domains as MongoDB has them: other releases read the same bytes. */
import { expect, test } from 'vitest';

import { HOOK, startTestApi } from '../../support/start-api.ts';
import { storedText } from '../../support/stored-document.ts';

const EVERY_FIELD = {
  url: `${HOOK}/more`,
  description: 'Warehouse',
  is_enabled: false,
  payload: {
    attachments: 'omit',
    raw: false,
    extract: ['codes', 'links'],
    storage: { bucket: 'files', what: ['raw'], link_hours: 24 },
  },
  mode: 'push',
  when: 'spam.score < 5.0',
  format: 'cloudevents',
  signing: 'ed25519',
  auth: { headers: { 'X-Api-Key': 'a key' }, basic: { username: 'me', password: 'secret' } },
};

test('the stored documents of receivers and domains', async () => {
  await using api = await startTestApi();
  const seen: string[] = [];
  const see = async (collection: string) => {
    const found = await api.mongo.db.collection(collection).find().sort({ _id: 1 }).toArray();
    seen.push(found.map(storedText).join('\n'));
  };
  const ask = async (method: string, path: string, body: object) => {
    const answer = await api.ask(method, path, { body });
    expect(answer).toMatchObject({ status: method === 'POST' ? 201 : 200 });
    return answer.body as { id: string };
  };

  await ask('POST', '/v1/account/buckets', {
    name: 'files',
    endpoint: 'https://s3.example.com',
    bucket: 'example-mail',
    credentials: { access_key_id: 'A', secret_access_key: 'B' },
  });
  const { id } = await api.create();
  const receivers = `/v1/addresses/${id}/receivers`;
  const none = await ask('POST', receivers, { url: HOOK });
  await ask('POST', receivers, EVERY_FIELD);
  await ask('POST', receivers, { mode: 'pull' });
  await see('receivers');
  await ask('PATCH', `${receivers}/${none.id}`, EVERY_FIELD);
  await see('receivers');
  await ask('PATCH', `${receivers}/${none.id}`, {
    description: null,
    is_enabled: true,
    payload: { attachments: 'inline', extract: [], storage: null },
    when: null,
    format: 'inlet',
    signing: 'hmac',
    auth: null,
  });
  await see('receivers');

  const domain = await ask('POST', '/v1/domains', { domain: 'münchen.example' });
  await see('domains');
  await ask('PATCH', `/v1/domains/${domain.id}`, { mta_sts: 'testing' });
  await see('domains');
  await expect(`${seen.join('\n\n')}\n`).toMatchFileSnapshot('stored-documents.golden.txt');
});
