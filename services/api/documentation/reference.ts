/**
 * /v1/openapi.json, and the same as an HTML page at /v1/docs. Neither needs a token. The first
 * request for either renders both.
 */
import type { Router, RouterMiddleware } from '@koa/router';

import { onFirstCall } from '../../adapters/async/first-call.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { ApiState } from '../http/state.ts';
import { type Asset, assetOf, htmlAsset, respondWithAsset } from '../sites/asset.ts';

type Reference = { json: Asset; page: Asset };

export function addDocumentation(router: Router<ApiState>, endpoints: readonly Endpoint[]): void {
  const reference = onFirstCall(async (): Promise<Reference> => {
    const { openApiDocument } = await import('./openapi.ts');
    const { referencePage } = await import('./reference-page.ts');
    const document = openApiDocument(endpoints);
    const json = JSON.stringify(document);
    return {
      json: assetOf('application/json; charset=utf-8', json),
      page: htmlAsset(referencePage(document)),
    };
  });
  const serve = (form: keyof Reference): RouterMiddleware<ApiState> =>
    async function serveReference(ctx) {
      ctx.state.route = ctx.path;
      await respondWithAsset(ctx, (await reference())[form]);
    };
  router.get('/openapi.json', serve('json'));
  router.get('/docs', serve('page'));
}
