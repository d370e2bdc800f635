/** The examples of docs/single-sign-on.md: their settings accept the ID token that they show. */
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

import { readConfig } from '../../services/adapters/process/config.ts';
import { type Claims, grantOf } from '../../services/core/member/single-sign-on.ts';
import {
  signInRules,
  SingleSignOnConfig,
} from '../../services/platform/settings/single-sign-on.ts';
import { codeBlocks, readPage } from './pages.ts';

type Values = {
  api: { singleSignOn: Record<string, string>; config: Record<string, string> };
};

const { text: whole, path } = await readPage('docs/single-sign-on.md');
const sections = whole.split(/^## /m).filter((text) => text.includes('```json'));

test('the page has an example for three providers', () => {
  expect(sections.map((text) => text.split('\n')[0])).toEqual([
    'Keycloak',
    'Microsoft Entra ID',
    'Google Workspace',
  ]);
});

test.each(sections.map((text) => [text.split('\n')[0] ?? '', text]))(
  '%s: the settings lead from the ID token to the account and its permissions',
  (_, text) => {
    const [yaml, json] = ['yaml', 'json'].map(
      (language) =>
        codeBlocks({ path, text }).find((block) => block.language === language)?.code ?? '',
    );
    const { api } = parse(yaml ?? '') as Values;
    const claims = JSON.parse(json ?? '') as Claims & { email?: string; sub: string };
    const { issuer = '', clientId = '' } = api.singleSignOn;
    const env = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, ...api.config };
    const rules = signInRules(readConfig(z.object(SingleSignOnConfig), env));
    expect(grantOf(claims, rules)).toMatchObject({
      accountId: 'acc_01k9wzk1r3s5t7u9v2w4x6y8za',
      permissions: expect.arrayContaining(['addresses:read', 'deliveries:read']) as string[],
      user: claims.email ?? claims.sub,
    });
  },
);

test('L.2: the example of roles by groups is accepted', () => {
  const text = whole.split(/^## /m).find((one) => one.startsWith('Roles by groups')) ?? '';
  const [yaml] = codeBlocks({ path, text });
  const { api } = parse(yaml?.code ?? '') as Values;
  const { roles } = signInRules(readConfig(z.object(SingleSignOnConfig), api.config));
  expect(roles.map(({ role }) => role)).toEqual(['owner', 'developer', 'viewer']);
});

test.each<[string, Record<string, string>, string]>([
  [
    'an unknown role',
    { OIDC_RULES: '{"roles":{"platform-team":"boss"}}' },
    'OIDC_RULES.roles.platform-team',
  ],
  ['an issuer without TLS', { OIDC_ISSUER: 'http://login.example.com' }, 'OIDC_ISSUER'],
  [
    'an unknown permission',
    { OIDC_RULES: '{"permissions":["everything"]}' },
    'OIDC_RULES.permissions',
  ],
  ['a rule with an unknown name', { OIDC_RULES: '{"account":"acc_1"}' }, 'OIDC_RULES'],
  ['text that is no JSON', { OIDC_RULES: 'acc_1' }, 'OIDC_RULES: must be JSON'],
])('%s is refused at the start', (_, env, setting) => {
  const given = { OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'inlet', ...env };
  expect(() => readConfig(z.object(SingleSignOnConfig), given)).toThrow(setting);
});
