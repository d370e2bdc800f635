/** Each kind of break of the API is made up once, and found. */
import { describe, expect, test } from 'vitest';

import { brokenBy, type Change, schemas } from './made-up.ts';

describe.each<[string, [string, Change, expected: string[]][]]>([
  [
    'of the API',
    [
      [
        'a path is removed',
        ({ openapi }) => delete openapi.paths['/usage'],
        ['GET /usage: is removed'],
      ],
      [
        'an operation is removed',
        ({ openapi }) => delete openapi.paths['/lists'].post,
        ['POST /lists: is removed'],
      ],
      [
        'an operation has another name',
        ({ openapi }) => (openapi.paths['/usage'].get.operationId = 'readUsage'),
        ['getUsage: has another name'],
      ],
      [
        'a permission changes',
        ({ openapi }) => (openapi.paths['/lists'].get['x-permission'] = 'account:read'),
        ['GET /lists permission: is account:read'],
      ],
      [
        'an open operation needs a token',
        ({ openapi }) => (openapi.paths['/files/{event_id}/raw'].get.security = [{ token: [] }]),
        ['GET /files/{event_id}/raw security: is token'],
      ],
      [
        'a parameter is removed',
        ({ openapi }) => openapi.paths['/deliveries'].get.parameters.shift(),
        ['GET /deliveries query limit: is removed'],
      ],
      [
        'a parameter is required',
        ({ openapi }) => (openapi.paths['/deliveries'].get.parameters[0].required = true),
        ['GET /deliveries query limit: is required'],
      ],
      [
        'a new parameter is required',
        ({ openapi }) =>
          openapi.paths['/deliveries'].get.parameters.push({
            name: 'new',
            in: 'query',
            required: true,
            schema: {},
          }),
        ['GET /deliveries query new: is new and required'],
      ],
      [
        'a parameter has another default and a smaller limit',
        ({ openapi }) =>
          Object.assign(openapi.paths['/deliveries'].get.parameters[0].schema, {
            default: 20,
            maximum: 50,
          }),
        [
          'GET /deliveries query limit: has another maximum: 50',
          'GET /deliveries query limit: has another default',
        ],
      ],
      [
        'a field of a request is removed',
        (contract) => delete schemas(contract).CreateAddressRequest.properties.description,
        ['request CreateAddressRequest.description: is removed'],
      ],
      [
        'a field of a request is required',
        (contract) => schemas(contract).CreateAddressRequest.required.push('description'),
        ['request CreateAddressRequest.description: is required'],
      ],
      [
        'two fields of a request exclude each other',
        (contract) =>
          schemas(contract).CreateAddressRequest.not.anyOf.push({
            required: ['description', 'webhook_url'],
          }),
        [
          'request CreateAddressRequest: has another rule: not {"required":["description","webhook_url"]}',
        ],
      ],
      [
        'a value of a request is removed',
        ({ openapi }) => openapi.paths['/deliveries'].get.parameters[4].schema.enum.shift(),
        ['GET /deliveries query status=pending: is removed'],
      ],
      [
        'a field of a response is removed',
        (contract) => delete schemas(contract).Address.properties.created_at,
        ['response Address.created_at: is removed'],
      ],
      [
        'a field of a response may be absent or null',
        (contract) => {
          const address = schemas(contract).Address;
          address.required = address.required.filter((name: string) => name !== 'address');
          address.properties.address = { anyOf: [address.properties.address, { type: 'null' }] };
        },
        ['response Address.address: may be null', 'response Address.address: may be absent'],
      ],
      [
        'a field of a response has another type',
        (contract) => (schemas(contract).Address.properties.created_at.type = 'integer'),
        ['response Address.created_at: is integer, not string'],
      ],
      [
        'a success has another status',
        ({ openapi }) => {
          const { responses } = openapi.paths['/lists'].post;
          responses[202] = responses[201];
          delete responses[201];
        },
        ['POST /lists 201: is removed', 'POST /lists 202: is a new kind of success'],
      ],
      [
        'a header of a response is removed',
        ({ openapi }) => delete openapi.paths['/usage'].get.responses[200].headers['X-Request-Id'],
        ['GET /usage 200 X-Request-Id: is removed'],
      ],
      [
        'a schema has another name',
        (contract) => {
          const all = JSON.stringify(contract.openapi).replaceAll('/SenderList"', '/List"');
          contract.openapi = JSON.parse(all);
          const { schemas: named } = contract.openapi.components;
          named.List = named.SenderList;
          delete named.SenderList;
        },
        ['SenderList: is removed or has another name'],
      ],
      [
        'a stable operation becomes beta',
        ({ openapi }) => (openapi.paths['/usage'].get['x-stability-level'] = 'beta'),
        ['GET /usage: is no longer stable'],
      ],
    ],
  ],
])('a break %s', (_, cases) => {
  test.each(cases)('%s', (__, change, expected) => {
    expect(brokenBy(change).toSorted()).toEqual(expected.toSorted());
  });
});
