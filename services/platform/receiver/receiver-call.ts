/**
 * Calls a receiver as its authentication demands: with its fixed headers, a bearer token and a client
 * certificate (D51, D52). The dispatcher and the test webhooks of the API use it.
 */
import { hash } from 'node:crypto';

import { createFreshCache } from '../../adapters/async/fresh-cache.ts';
import type { ConnectionOptions } from '../../adapters/http/agents.ts';
import type { WebhookResult, Webhooks } from '../../adapters/http/webhook.ts';
import type { WebhookTarget } from '../../core/address/address.ts';
import {
  type AccessToken,
  accessToken,
  type OAuthClient,
  tokenError,
  tokenRequest,
} from '../../core/receiver/oauth-client.ts';
import { authHeaders } from '../../core/receiver/receiver-auth.ts';

/** What a receiver gets in addition to the payload and its signatures, and over which connection. */
type CallExtras = { headers: Record<string, string>; connection?: ConnectionOptions };

/**
 * @param send makes the request; called a second time with a new token when the receiver refuses the
 * token (401). Never throws, unless `send` does
 */
export type CallReceiver = (
  target: Pick<WebhookTarget, 'id' | 'auth' | 'service'>,
  send: (extras: CallExtras) => Promise<WebhookResult>,
) => Promise<WebhookResult>;

/** The whole request to a token endpoint. */
const TOKEN_TIMEOUT_MS = 10_000;
const TOKEN_RESPONSE_BYTES = 64 * 1024;
const TOKENS_MAX = 10_000;

/** A token is used until this part of its lifetime has passed, so that none expires on its way. */
const USED_PART = 0.9;

type TokenOutcome = { token: AccessToken } | { failure: WebhookResult };

export function createReceiverCalls(
  webhooks: Pick<Webhooks, 'post'>,
  nowMs: () => number,
): CallReceiver {
  // tokens of replaced credentials are never used again and are evicted
  const tokens = createFreshCache<TokenOutcome & { askedAtMs: number }>({
    maxSize: TOKENS_MAX,
    freshMs: (requested) => ('token' in requested ? requested.token.lifetimeMs * USED_PART : 0),
    nowMs,
  });

  /** One request for all calls that need the same token at the same time. */
  function tokenFor(key: string, client: OAuthClient) {
    return tokens.get(key, async () => {
      const askedAtMs = nowMs();
      return { ...(await requestToken(client, webhooks)), askedAtMs };
    });
  }

  return async function callReceiver({ id, auth, service }, send) {
    const clientCertificate = auth?.client_certificate;
    const connection = (clientCertificate || service) && { clientCertificate, service };
    const extras: CallExtras = { headers: authHeaders(auth), ...(connection && { connection }) };
    const client = auth?.oauth2;
    if (client === undefined) return send(extras);
    const sendWith = ({ authorization }: AccessToken) =>
      send({ ...extras, headers: { ...extras.headers, authorization } });

    const beganAtMs = nowMs();
    const key = `${id} ${hash('sha256', JSON.stringify(client))}`;
    const first = await tokenFor(key, client);
    if ('failure' in first) return first.failure;
    const result = await sendWith(first.token);
    const mayBeOld = first.askedAtMs < beganAtMs;
    if (!isUnauthorized(result) || !mayBeOld) return result;
    if (tokens.peek(key) === first) tokens.forget(key);
    const second = await tokenFor(key, client);
    return 'failure' in second ? second.failure : sendWith(second.token);
  };
}

async function requestToken(
  client: OAuthClient,
  webhooks: Pick<Webhooks, 'post'>,
): Promise<TokenOutcome> {
  const { headers, body } = tokenRequest(client);
  const result = await webhooks.post(client.token_url, headers, Buffer.from(body), {
    timeoutMs: TOKEN_TIMEOUT_MS,
    excerptBytes: TOKEN_RESPONSE_BYTES,
  });
  const token = result.outcome.kind === 'accepted' ? accessToken(result.excerpt) : undefined;
  return token ? { token } : { failure: failureOf(result) };
}

/** It is retried, also after a refusal: an owner who corrects the credentials loses no email. */
function failureOf({ outcome, durationMs, error, excerpt, detail }: WebhookResult): WebhookResult {
  const failed = { durationMs, excerpt: null, ...(detail !== undefined && { detail }) };
  if (!('status' in outcome)) return { ...failed, outcome, error: `token URL: ${error}` };
  const code = tokenError(excerpt);
  const said =
    outcome.kind === 'accepted' ? ', but without a bearer token' : code ? ` (${code})` : '';
  return {
    ...failed,
    outcome: { kind: 'unreachable', reason: 'token', tokenStatus: outcome.status },
    error: `token URL: it responded with ${outcome.status}${said}`,
  };
}

const isUnauthorized = ({ outcome }: WebhookResult): boolean =>
  outcome.kind === 'refused' && outcome.status === 401;
