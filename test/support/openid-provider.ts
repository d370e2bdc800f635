/**
 * A real OpenID provider (oidc-provider) on a free port, and a browser that signs in there. Tests can
 * change the ID tokens that it issues.
 */
import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

export const CLIENT = { id: 'inlet', secret: 'secret-of-the-client' };

export type OpenIdProvider = AsyncDisposable & {
  issuer: string;
  /** Settings of an API that uses this provider. */
  env: Record<string, string>;
  /** Call it before the first sign-in. */
  register(redirectUri: string): void;
  /** Claims of a user by the name that they enter at the provider. */
  users: Map<string, Record<string, unknown>>;
  /** Changes the ID tokens from now on; undefined: none. */
  tamper(change: ((claims: Record<string, unknown>) => Record<string, unknown>) | undefined): void;
  /** Signs ID tokens with a key that the provider does not publish. */
  signWithForeignKey(does: boolean): void;
};

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;
const EVERY_CLAIM = ['sub', 'inletAccount', 'groups', 'roles', 'email', 'email_verified'];

const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

export async function startOpenIdProvider(): Promise<OpenIdProvider> {
  const users: OpenIdProvider['users'] = new Map();
  const [ownKey, foreignKey] = [newKey(), newKey()];
  let change: Parameters<OpenIdProvider['tamper']>[0];
  let key = ownKey;
  let handle: Handler | undefined;
  const server = createServer((request, response) => void handle?.(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    issuer,
    env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret },
    users,
    tamper: (next) => void (change = next),
    signWithForeignKey: (does) => void (key = does ? foreignKey : ownKey),
    register: (redirectUri) => {
      const provider = new Provider(issuer, {
        clients: [
          { client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri] },
        ],
        jwks: { keys: [{ ...ownKey.export({ format: 'jwk' }), kid: 'own', use: 'sig' }] },
        ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
        cookies: { keys: ['of this test'] },
        claims: { openid: EVERY_CLAIM },
        scopes: ['openid', 'email'],
        conformIdTokenClaims: false, // claims in the ID token, as other providers do
        findAccount: (_, id) => ({
          accountId: id,
          claims: () => ({ sub: id, ...users.get(id) }),
        }),
      });
      provider.use(async (ctx, next) => {
        await next();
        const body = ctx.body as { id_token?: string } | undefined;
        if (ctx.path !== '/token' || body?.id_token === undefined) return;
        const claims = JSON.parse(
          Buffer.from(body.id_token.split('.')[1] ?? '', 'base64url').toString(),
        ) as Record<string, unknown>;
        ctx.body = { ...body, id_token: signed(change?.(claims) ?? claims, key) };
      });
      handle = provider.callback();
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function signed(claims: object, key: KeyObject): string {
  const content = `${part({ alg: 'RS256', typ: 'JWT', kid: 'own' })}.${part(claims)}`;
  return `${content}.${createSign('RSA-SHA256').update(content).sign(key).toString('base64url')}`;
}

/** `location` is empty when the response is no redirect. */
type Page = { status: number; location: string; text: string };

/** A browser without scripts: it has cookies, and follows redirects of the provider. */
export type PlainBrowser = {
  /** Requests a page, without following a redirect. */
  open(url: string, form?: Record<string, string>): Promise<Page>;
  /** Enters this name at the provider, and consents. @returns the URL to which it leads back */
  signInAt(authorizationUrl: string, user: string): Promise<string>;
  cookies: Map<string, string>;
};

export function openPlainBrowser(): PlainBrowser {
  const cookies = new Map<string, string>();
  const open: PlainBrowser['open'] = async (url, form) => {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form && { method: 'POST', body: new URLSearchParams(form).toString() }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get('location');
    return {
      status: response.status,
      location: location === null ? '' : new URL(location, url).href,
      text: await response.text(),
    };
  };
  return {
    cookies,
    open,
    signInAt: async (authorizationUrl, user) => {
      const { origin } = new URL(authorizationUrl);
      let url = authorizationUrl;
      for (let page = 0; page < 10 && new URL(url).origin === origin; page++) {
        const { location, text } = await open(url);
        const [, prompt = ''] = /name="prompt" value="(\w+)"/.exec(text) ?? [];
        url = location || (await open(url, { prompt, login: user, password: 'any' })).location;
      }
      return url;
    },
  };
}
