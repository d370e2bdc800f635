/**
 * Breaks of all that docs/project/compatibility.md promises, but of the API, are made up, and found. Changes
 * that break nothing are not.
 */
import { describe, expect, test } from 'vitest';

import { breaksOf } from './contract.ts';
import { brokenBy, type Change, current, type Loose, schemas } from './made-up.ts';

test('nothing breaks without a change', () => {
  expect(breaksOf({ before: current, after: structuredClone(current) })).toEqual([]);
});

describe.each<[string, [string, Change, expected: string[]][]]>([
  [
    'of webhooks',
    [
      [
        'a header is removed',
        ({ openapi }) => openapi.webhooks.receiveEmail.post.parameters.splice(1, 1),
        ['POST receiveEmail header webhook-id: is removed'],
      ],
      [
        'a field of the payload is removed',
        ({ payload }) => delete payload.properties.plus_tag,
        ['payload.plus_tag: is removed'],
      ],
      [
        'a value of the payload is removed',
        ({ payload }) => payload.$defs.Spam.properties.verdict.enum.shift(),
        [expect.stringMatching(/^response Spam\.verdict=\w+: is removed$/)],
      ],
    ],
  ],
  [
    'of custom resources',
    [
      ['a kind is removed', ({ crds }) => delete crds.SenderList, ['SenderList: is removed']],
      [
        'a version is no longer served',
        ({ crds }) => delete crds.SenderList.versions.v1,
        ['SenderList v1: is no longer served'],
      ],
      [
        'a short name is removed',
        ({ crds }) => crds.SenderList.names.shortNames.pop(),
        ['SenderList islist: is removed'],
      ],
      [
        'a field of the spec is removed',
        ({ crds }) => delete crds.SenderList.versions.v1.properties.spec.properties.description,
        ['SenderList v1 spec.description: is removed'],
      ],
      [
        'a further rule refuses what was accepted',
        ({ crds }) =>
          (crds.SenderList.versions.v1.properties.spec['x-kubernetes-validations'] = [
            { rule: "self.name != 'all'" },
          ]),
        ["SenderList v1 spec: has another rule: self.name != 'all'"],
      ],
      [
        'a field of the status is removed',
        ({ crds }) => delete crds.SenderList.versions.v1.properties.status.properties.id,
        ['SenderList v1 status.id: is removed'],
      ],
    ],
  ],
  [
    'of settings, values, metrics and the command',
    [
      [
        'a setting is removed',
        ({ settings }) => delete settings.gateway.properties.MAX_MESSAGE_BYTES,
        ['MAX_MESSAGE_BYTES: is removed'],
      ],
      [
        'a setting has another default',
        ({ settings }) => (settings.gateway.properties.LOG_LEVEL.default = 'warn'),
        ['LOG_LEVEL: has another default'],
      ],
      [
        'a setting is required',
        ({ settings }) => (settings.gateway.required = ['NATS_USER']),
        ['NATS_USER: is required'],
      ],
      [
        'a value of the chart is removed',
        ({ values }) => delete values.properties.partitions,
        ['values.partitions: is removed'],
      ],
      [
        'a metric is removed',
        ({ metrics }) => delete metrics.inlet_build_info,
        ['inlet_build_info: is removed'],
      ],
      [
        'a metric has another type and lacks a label',
        ({ metrics }) =>
          Object.assign(metrics.inlet_build_info, { type: 'counter', labels: ['node', 'version'] }),
        ['inlet_build_info: is a counter', 'inlet_build_info{revision}: is removed'],
      ],
      [
        'an exit code has another meaning',
        ({ exitCodes }) => Object.assign(exitCodes, { timeout: 6, unreachable: 5 }),
        ['exit code 5: is not timeout any more', 'exit code 6: is not unreachable any more'],
      ],
      [
        'a command and an option are removed',
        ({ commands }) => {
          delete commands['inlet tail'];
          commands['inlet send'].pop();
        },
        ['inlet send --to: is removed', 'inlet tail: is removed'],
      ],
    ],
  ],
])('a break %s', (_, cases) => {
  test.each(cases)('%s', (__, change, expected) => {
    expect(brokenBy(change).toSorted()).toEqual(expected.toSorted());
  });
});

test.each<[string, Change]>([
  [
    'a new operation, parameter and field',
    (contract) => {
      const { openapi } = contract;
      openapi.paths['/new'] = openapi.paths['/usage'];
      openapi.paths['/deliveries'].get.parameters.push({ name: 'new', in: 'query', schema: {} });
      schemas(contract).CreateAddressRequest.properties.new = { type: 'string' };
      schemas(contract).Address.properties.new = { type: 'string' };
      contract.payload.properties.new = { type: 'string' };
    },
  ],
  [
    'a further value, a larger limit, and a field of a request that may be left out',
    (contract) => {
      const { openapi, payload } = contract;
      payload.$defs.Spam.properties.verdict.enum.push('new');
      openapi.paths['/deliveries'].get.parameters[0].schema.maximum = 1000;
      schemas(contract).CreateAddressRequest.required = [];
    },
  ],
  [
    'a rule about a new field',
    ({ crds }) => {
      const { spec } = crds.SenderList.versions.v1.properties;
      spec.properties.fresh = { type: 'boolean' };
      spec['x-kubernetes-validations'] = [{ rule: "!has(self.fresh) || self.name != 'all'" }];
    },
  ],
  [
    'a new setting, metric, label, bucket, exit code, command and option',
    ({ settings, metrics, exitCodes, commands }) => {
      settings.gateway.properties.NEW = { type: 'string' };
      metrics.inlet_new_total = { type: 'counter', labels: [] };
      metrics.inlet_build_info.labels.push('new');
      exitCodes.new = 9;
      commands['inlet new'] = [];
      commands['inlet send'].push('--new');
    },
  ],
])('no break: %s', (_, change) => {
  expect(brokenBy(change)).toEqual([]);
});

test('what is beta may change', () => {
  const before = structuredClone(current);
  const { paths, components } = before.openapi as Loose;
  paths['/usage'].get['x-stability-level'] = 'beta';
  components.schemas.Address.properties.created_at['x-stability-level'] = 'beta';
  const broken = brokenBy(({ openapi }) => {
    delete openapi.paths['/usage'].get;
    delete openapi.components.schemas.Address.properties.created_at;
  }, before);
  expect(broken).toEqual([]);
});
