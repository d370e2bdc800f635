/** The OpenAPI document passes the default rules of the two common linters. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { OPENAPI_FOLDER, readOpenApi } from '../support/openapi-files.ts';
import { installFromNpm, REDOCLY, SPECTRAL } from './tools.ts';

const DOCUMENT = join(OPENAPI_FOLDER, 'openapi.json');
const source = JSON.stringify(await readOpenApi());

type Redocly = {
  createConfig: (config: object) => Promise<object>;
  lintFromString: (options: {
    source: string;
    absoluteRef: string;
    config: object;
  }) => Promise<{ ruleId: string; message: string; location: { pointer?: string }[] }[]>;
};
type Spectral = {
  Spectral: new () => {
    setRuleset(ruleset: object): void;
    run(document: object): Promise<{ code: string; message: string; path: string[] }[]>;
  };
  Document: new (source: string, parser: unknown, name: string) => object;
};

test('redocly finds no error and no warning by its recommended rules', async ({ skip }) => {
  const folder = (await installFromNpm('redocly', REDOCLY)) ?? skip();
  const { createConfig, lintFromString } = createRequire(join(folder, 'package.json'))(
    '@redocly/openapi-core',
  ) as Redocly;
  const problems = await lintFromString({
    source,
    absoluteRef: DOCUMENT,
    config: await createConfig({ extends: ['recommended'] }),
  });
  const found = problems.map(
    ({ ruleId, message, location }) => `${location[0]?.pointer} ${ruleId}: ${message}`,
  );
  expect(found).toEqual([]);
});

test('spectral finds no error and no warning by its rules for OpenAPI', async ({ skip }) => {
  const folder = (await installFromNpm('spectral', SPECTRAL)) ?? skip();
  const load = createRequire(join(folder, 'package.json'));
  const { Spectral, Document } = load('@stoplight/spectral-core') as Spectral;
  const { oas } = load('@stoplight/spectral-rulesets') as { oas: object };
  const { Json } = load('@stoplight/spectral-parsers') as { Json: unknown };
  const linter = new Spectral();
  linter.setRuleset({ extends: [oas] });
  const problems = await linter.run(new Document(source, Json, DOCUMENT));
  expect(
    problems.map(({ code, message, path }) => `${path.join('/')} ${code}: ${message}`),
  ).toEqual([]);
});
