/**
 * /v1/openapi.json and the same as an HTML page at /v1/docs; the schema of the payload of webhooks as
 * /v1/payload.schema.json. None needs a token. The first request for one of them renders all.
 */
import type { Router, RouterMiddleware } from '@koa/router';

import { onFirstCall } from '../../adapters/async/first-call.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { ApiState } from '../http/state/state.ts';
import { type Asset, assetOf, htmlAsset, respondWithAsset } from '../sites/asset.ts';

type Reference = Record<'openapi' | 'page' | 'payload', Asset>;

const JSON_TYPE = 'application/json; charset=utf-8';

export function addDocumentation(router: Router<ApiState>, endpoints: readonly Endpoint[]): void {
  const reference = onFirstCall(async (): Promise<Reference> => {
    const { openApiDocument } = await import('./openapi.ts');
    const { referencePage } = await import('./reference-page.ts');
    const { payloadSchema } = await import('./payload-schema.ts');
    const document = openApiDocument(endpoints);
    return {
      openapi: assetOf(JSON_TYPE, JSON.stringify(document)),
      page: htmlAsset(referencePage(document)),
      payload: assetOf('application/schema+json; charset=utf-8', JSON.stringify(payloadSchema())),
    };
  });
  const serve = (form: keyof Reference): RouterMiddleware<ApiState> =>
    async function serveReference(ctx) {
      ctx.state.route = ctx.path;
      await respondWithAsset(ctx, (await reference())[form]);
    };
  router.get('/openapi.json', serve('openapi'));
  router.get('/payload.schema.json', serve('payload'));
  router.get('/docs', serve('page'));
}
